import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { randomFrom } from '../random.ts';
import { type Simulator, startSimulator } from '../simulator.ts';
import { breakArguments, repairable } from './breakages.ts';

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());

const tools = ['read_file', 'write_file'].map((name) => ({
  type: 'function',
  function: {
    name,
    parameters: {
      type: 'object',
      properties: { path: { type: 'string' }, content: { type: 'string' } },
      required: name === 'read_file' ? ['path'] : ['path', 'content'],
    },
  },
}));
const write = 'Create out.txt containing exactly one line: {"it\'s": [1, 2]}.';

interface SimulatorReply {
  status: number;
  text: string;
  headers: Headers;
}

async function ask(headers: Record<string, string>, body: object = {}, signal?: AbortSignal): Promise<SimulatorReply> {
  const response = await fetch(`${simulator.url}/v1/chat/completions`, {
    method: 'POST',
    headers,
    body: JSON.stringify({
      model: 'sim-native',
      stream: true,
      messages: [{ role: 'user', content: write }],
      tools,
      ...body,
    }),
    ...(signal && { signal }),
  });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

const chunks = (text: string) =>
  text
    .split('\n\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice(6)));
const calls = (text: string) => chunks(text).flatMap((chunk) => chunk.choices[0]?.delta.tool_calls ?? []);
const finish = (text: string) =>
  chunks(text)
    .map((chunk) => chunk.choices[0]?.finish_reason)
    .filter((reason) => reason != null);
const fault = (faults: string, more: Record<string, string> = {}) => ({ 'x-sim-faults': faults, ...more });
const three = { messages: [{ role: 'user', content: 'Read a.txt, b.txt and c.txt in parallel.' }] };

describe('faults of the response', () => {
  it.each([400, 401, 404, 429, 500, 503])('answers %i in vLLM’s format, old and new', async (status) => {
    const { status: got, text, headers } = await ask(fault(`status-${status}`, { 'x-sim-retry-after': '4' }));
    expect(got).toBe(status);
    expect(JSON.parse(text)).toEqual({
      error: { message: expect.any(String), type: expect.any(String), param: null, code: status },
    });
    expect(headers.get('retry-after')).toBe('4');
    const old = await ask(fault(`status-${status}`, { 'x-sim-errors': 'old' }));
    expect(JSON.parse(old.text)).toMatchObject({ object: 'error', message: expect.any(String), code: status });
  });

  it('answers 502 with a proxy’s HTML', async () => {
    const { status, text, headers } = await ask(fault('status-502'));
    expect([status, headers.get('content-type')]).toEqual([502, 'text/html']);
    expect(text).toContain('<html>');
  });

  it('refuses tools as each engine does', async () => {
    const vllm = await ask({}, { model: 'sim-refuses-tools' });
    expect(vllm.status).toBe(400);
    expect(JSON.parse(vllm.text).error.message).toBe(
      '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
    );
    const ollama = await ask({}, { model: 'sim-refuses-tools-ollama' });
    expect(ollama.status).toBe(400);
    expect(JSON.parse(ollama.text).error.message).toMatch(/does not support tools$/);
    expect((await ask({}, { model: 'sim-refuses-tools', tool_choice: 'none' })).status).toBe(200);
  });

  it('rejects its own model’s call with the call in the error', async () => {
    const ollama = await ask(fault('engine-500', { 'x-sim-engine': 'ollama' }));
    expect(ollama.status).toBe(500);
    expect(JSON.parse(ollama.text).error.message).toMatch(
      /^error parsing tool call: raw='\{"path":"out\.txt"[\s\S]*', err=/,
    );
    const llamacpp = await ask(fault('engine-500', { 'x-sim-engine': 'llamacpp' }));
    expect(JSON.parse(llamacpp.text).error.message).toMatch(
      /^Failed to parse input at pos 0: <tool_call>\n\{"name": "write_file"/,
    );
  });

  it('reports a full context in vLLM’s words', async () => {
    const long = { model: 'sim-small', messages: [{ role: 'user', content: 'word '.repeat(3000) }] };
    const { status, text } = await ask({}, long);
    expect(status).toBe(400);
    expect(JSON.parse(text).error.message).toMatch(
      /^This model's maximum context length is 2048 tokens\. However, your request has \d+ input tokens\./,
    );
    const room = await ask({}, { model: 'sim-small', max_tokens: 2048 });
    expect(JSON.parse(room.text).error.message).toMatch(
      /^'max_tokens' or 'max_completion_tokens' is too large: 2048\. This model's maximum context length is 2048 tokens and your request has \d+ input tokens \(2048 > 2048 - \d+\)\.$/,
    );
  });
});

describe('faults of the stream', () => {
  it('cuts the connection', async () => {
    await expect(ask(fault('cut-stream'))).rejects.toThrow();
    expect(simulator.requests.at(-1)).toMatchObject({ end: 'cut', faults: ['cut-stream'] });
  });

  it('ends without a finish, without [DONE], with an error object', async () => {
    const ended = await ask(fault('end-call'));
    expect(finish(ended.text)).toEqual([]);
    expect(ended.text).not.toContain('[DONE]');
    expect(calls(ended.text).length).toBeGreaterThan(1);
    expect((await ask(fault('no-done'))).text).not.toContain('[DONE]');
    expect(finish((await ask(fault('no-finish'))).text)).toEqual([]);
    expect(finish((await ask(fault('finish-stop'))).text)).toEqual(['stop']);
    const broken = await ask(fault('error-object'));
    expect(JSON.parse(broken.text.trim().split('\n\n').at(-1)?.slice(6) ?? '')).toMatchObject({ error: { code: 500 } });
  });

  it('omits usage, or always sends it', async () => {
    const withUsage = { stream_options: { include_usage: true } };
    expect(chunks((await ask({}, withUsage)).text).filter((chunk) => chunk.usage)).toHaveLength(1);
    expect(chunks((await ask(fault('no-usage'), withUsage)).text).filter((chunk) => chunk.usage)).toHaveLength(0);
    expect(chunks((await ask(fault('usage-always'))).text).every((chunk) => chunk.usage)).toBe(true);
  });

  it('reaches its token limit in the middle of a call', async () => {
    const { text } = await ask(fault('truncate-call'));
    expect(finish(text)).toEqual(['length']);
    expect(() =>
      JSON.parse(
        calls(text)
          .map((call) => call.function.arguments)
          .join(''),
      ),
    ).toThrow();
    const limited = await ask({}, { max_tokens: 8, stream_options: { include_usage: true } });
    expect(finish(limited.text)).toEqual(['length']);
    expect(chunks(limited.text).at(-1).usage.completion_tokens).toBe(8);
  });

  it('records when the client disconnected, and stops', async () => {
    const abort = new AbortController();
    const before = simulator.requests.length;
    const asking = ask(
      { 'x-sim-delay': '20' },
      { messages: [{ role: 'user', content: 'Say 5000 words' }] },
      abort.signal,
    );
    await expect.poll(() => simulator.requests[before]?.frames).toBeGreaterThan(2);
    const at = Date.now();
    abort.abort();
    await expect(asking).rejects.toThrow();
    await expect.poll(() => simulator.requests.at(-1)?.end).toBe('aborted');
    const { endedAt, frames } = simulator.requests.at(-1) ?? {};
    expect(Math.abs((endedAt ?? 0) - at)).toBeLessThan(1000);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(simulator.requests.at(-1)?.frames).toBe(frames);
  });

  it('waits before the headers, before the first chunk, and in the middle', async () => {
    const start = Date.now();
    await ask({ 'x-sim-headers': '60', 'x-sim-first': '60', 'x-sim-silence': '60' });
    expect(Date.now() - start).toBeGreaterThanOrEqual(175);
  });
});

describe('framing of native calls', () => {
  const indexes = async (name: string) => [
    ...new Set(calls((await ask(fault(name), three)).text).map((call) => call.index)),
  ];

  it('gives them wrong indexes', async () => {
    expect(await indexes('')).toEqual([0, 1, 2]);
    expect(await indexes('index-zero')).toEqual([0]);
    expect(await indexes('index-one')).toEqual([1, 2, 3]);
    expect(await indexes('no-index')).toEqual([undefined]);
  });

  it('concatenates them, and loses or repeats ids and names', async () => {
    const glued = calls((await ask(fault('glue-calls'), three)).text);
    expect(glued.map((call) => call.function.arguments).join('')).toBe(
      '{"path":"a.txt"}{"path":"b.txt"}{"path":"c.txt"}',
    );
    const ids = async (name: string) =>
      calls((await ask(fault(name), three)).text)
        .map((call) => call.id)
        .filter((id) => id !== undefined);
    expect(new Set(await ids('')).size).toBe(3);
    expect(await ids('no-id')).toEqual([]);
    expect(new Set(await ids('same-id'))).toEqual(new Set(['call_1']));
    const named = calls((await ask(fault('name-always+id-always'), three)).text);
    expect(named.every((call) => call.function.name === 'read_file' && call.id !== undefined)).toBe(true);
  });

  it('leaks them as text', async () => {
    const { text } = await ask(fault('leak'));
    expect(calls(text)).toEqual([]);
    expect(
      chunks(text)
        .map((chunk) => chunk.choices[0]?.delta.content ?? '')
        .join(''),
    ).toContain('<tool_call>\n{"name": "write_file"');
    expect(finish(text)).toEqual(['stop']);
  });
});

describe('broken arguments', () => {
  const args = { path: 'a b.txt', content: 'one\n"two"', count: 3, deep: { on: true, none: null } };

  it.each(repairable)('%s is not the JSON it should be', (how) => {
    const broken = breakArguments(args, how, randomFrom('x'));
    expect(broken).not.toBe(JSON.stringify(args));
    let value: unknown;
    try {
      value = JSON.parse(broken);
    } catch {
      return;
    }
    expect(typeof value).not.toBe('object');
  });

  it('ends in the middle of a string with finish_reason tool_calls', async () => {
    const { text } = await ask(fault('cut-string'));
    expect(
      calls(text)
        .map((call) => call.function.arguments)
        .join(''),
    ).toMatch(/^\{"path":"out\.txt","content":"(?:[^"\\]|\\.)+$/);
    expect(finish(text)).toEqual(['tool_calls']);
  });
});

describe('random faults', () => {
  const drawn = async (seed: string, count: number) => {
    const own = await startSimulator({ seed });
    const seen: string[] = [];
    for (let n = 0; n < count; n++) {
      const response = await fetch(`${own.url}/v1/chat/completions`, {
        method: 'POST',
        body: JSON.stringify({ model: 'sim-flaky', messages: [{ role: 'user', content: `${write} (${n})` }], tools }),
      });
      await response.text();
      seen.push(own.requests.at(-1)?.faults.join() ?? '');
    }
    await own.close();
    return seen;
  };

  it('are the same for the same seed, and about as frequent as configured', async () => {
    const first = await drawn('7', 100);
    expect(await drawn('7', 100)).toEqual(first);
    expect(await drawn('8', 100)).not.toEqual(first);
    const faulty = first.filter((each) => each !== '').length;
    expect(faulty).toBeGreaterThan(12);
    expect(faulty).toBeLessThan(40);
  });

  it('are drawn again when the same turn is requested again', async () => {
    const seen = new Set<number>();
    for (let n = 0; n < 20; n++) seen.add((await ask(fault('status-500:0.5'))).status);
    expect(seen).toEqual(new Set([200, 500]));
  });
});
