import { setTimeout as sleep } from 'node:timers/promises';
import { Client, request as undiciRequest } from 'undici';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Breaker } from '../attempts/breaker.ts';
import { Heartbeat } from '../response/heartbeat.ts';
import { guarded } from '../upstream/connect-rule.ts';
import { UpstreamClient } from '../upstream/upstream-client.ts';
import { apiKey, startProxy, type TestProxy } from './test-proxy.ts';
import {
  type Behavior,
  call,
  chunk,
  done,
  json,
  open,
  role,
  startUpstream,
  stop,
  stream,
  type TestUpstream,
  text,
} from './test-upstream.ts';

let upstream: TestUpstream;
let second: TestUpstream;
let proxy: TestProxy;

beforeAll(async () => {
  upstream = await startUpstream();
  second = await startUpstream();
  const baseUrls = [upstream.baseUrl];
  proxy = await startProxy(
    [
      { name: 'm', baseUrls, dialect: 'hermes', upstream: { idleTimeoutMs: 1500 } },
      {
        name: 'streaming',
        baseUrls,
        holdBytes: 0,
        dialect: 'hermes',
        upstream: { id: 'up_streaming', idleTimeoutMs: 1500 },
      },
      { name: 'two', baseUrls: [upstream.baseUrl, second.baseUrl] },
    ],
    {
      heartbeat: new Heartbeat(200, 60_000),
      breaker: new Breaker({ failures: 1000, restMs: 1000 }),
      answers: { text: 1e9, arguments: 1e9, calls: 1000, frames: 1e9 },
    },
  );
});

afterAll(async () => {
  await proxy.close();
  await Promise.all([upstream.close(), second.close()]);
});

beforeEach(() => upstream.behave(stream(role, text('Hi'), stop, done)));

const tools = [
  {
    type: 'function',
    function: {
      name: 'write_file',
      parameters: {
        type: 'object',
        properties: { path: { type: 'string' }, content: { type: 'string' } },
        required: ['path', 'content'],
      },
    },
  },
];
const headers = { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` };
const bodyOf = (more: object) =>
  JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'Hi' }], ...more });
const ask = (more: object = {}, signal?: AbortSignal) =>
  fetch(`${proxy.url}/v1/chat/completions`, { method: 'POST', headers, body: bodyOf(more), ...(signal && { signal }) });

/** The payloads of an event stream, comments left out. */
const payloads = (sse: string): string[] =>
  sse.split('\n\n').flatMap((frame) => (frame.startsWith('data: ') ? [frame.slice(6)] : []));
interface Chunk {
  choices: {
    index: number;
    delta: {
      content?: string;
      role?: string;
      tool_calls?: { index: number; id?: string; function: { name?: string; arguments: string } }[];
    };
    finish_reason: string | null;
  }[];
  error?: { code: string; message: string };
}
const chunksOf = (sse: string): Chunk[] =>
  payloads(sse)
    .filter((data) => data !== '[DONE]')
    .map((data) => JSON.parse(data) as Chunk);
const contentOf = (sse: string): string =>
  chunksOf(sse)
    .map((one) => one.choices?.[0]?.delta.content ?? '')
    .join('');
const lastRow = () => proxy.recorder.turns.at(-1);
const cut: Behavior = (response) => {
  response.destroy();
};
const until = async (claim: () => boolean) => {
  for (let n = 0; n < 200 && !claim(); n++) await sleep(10);
  expect(claim()).toBe(true);
};

describe.each([
  ['untouched', {}],
  ['with tools', { tools }],
])('%s', (_, more) => {
  it('text is delivered as it arrives, not at the end', async () => {
    let finish = (): void => {};
    upstream.behave((response) => {
      open(response);
      response.write(role + text('one'));
      finish = () => response.end(text('two') + stop + done);
    });
    const reply = await ask(more);
    const reader = reply.body?.getReader();
    let seen = '';
    while (contentOf(seen) !== 'one') {
      const part = await reader?.read();
      expect(part?.done).toBe(false);
      seen += Buffer.from(part?.value ?? []).toString();
    }
    finish();
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read())
      seen += Buffer.from(part.value).toString();
    expect(contentOf(seen)).toBe('onetwo');
    expect(payloads(seen).at(-1)).toBe('[DONE]');
  });

  it('security 27: a client that disconnects ends the upstream request immediately', async () => {
    upstream.behave((response) => {
      open(response);
      response.write(role + text('one'));
    });
    const abort = new AbortController();
    const reply = await ask(more, abort.signal);
    await reply.body?.getReader().read();
    const at = performance.now();
    abort.abort();
    expect((await upstream.received[0]?.hungUp) ?? Number.POSITIVE_INFINITY).toBeLessThan(at + 1000);
    await until(() => lastRow()?.status === 499);
    expect(lastRow()).toMatchObject({ errorOrigin: 'client', errorCode: 'client_disconnected' });
  });

  it('security 27: so does a client that disconnects before the first byte', async () => {
    upstream.behave(() => {});
    const abort = new AbortController();
    const pending = ask(more, abort.signal).catch(() => undefined);
    await until(() => upstream.received.length === 1);
    abort.abort();
    await pending;
    await upstream.received[0]?.hungUp;
    await until(() => lastRow()?.status === 499);
  });

  it('two streams follow each other on one connection', async () => {
    const client = new Client(proxy.url, { pipelining: 1 });
    for (const word of ['first', 'second', 'third']) {
      upstream.behave(stream(role, text(word), text('!'), stop, done));
      const { body } = await client.request({
        method: 'POST',
        path: '/v1/chat/completions',
        headers,
        body: bodyOf(more),
      });
      const sse = await body.text();
      expect([contentOf(sse), payloads(sse).at(-1)]).toEqual([`${word}!`, '[DONE]']);
    }
    await client.close();
  });

  it('D-23 a silent upstream: head and heartbeat are sent, also in mid-stream', async () => {
    let go = (): void => {};
    upstream.behave((response) => {
      go = () => {
        open(response);
        response.write(role + text('late'));
        setTimeout(() => response.end(stop + done), 500);
      };
    });
    const reply = await ask(more);
    expect(reply.status).toBe(200);
    go();
    const sse = await reply.text();
    expect(sse.match(/^: /gm)?.length).toBeGreaterThanOrEqual(2);
    expect(contentOf(sse)).toBe('late');
  });

  it('an upstream that breaks off in its text: an error event, no finish, no [DONE]', async () => {
    upstream.behave(async (response) => {
      open(response);
      response.write(role + text('half'));
      await sleep(50);
      response.destroy();
    });
    const sse = await (await ask(more)).text();
    expect(contentOf(sse)).toBe('half');
    expect(chunksOf(sse).at(-1)?.error).toMatchObject({ code: 'upstream_cut_off' });
    expect(chunksOf(sse).some((one) => one.choices?.[0]?.finish_reason)).toBe(false);
    expect(sse).not.toContain('[DONE]');
    await until(() => lastRow()?.errorCode === 'upstream_cut_off');
    expect(lastRow()).toMatchObject({ status: 200, attempts: 1 });
  });

  it('an upstream that stops sending: an error event with the silent time', async () => {
    upstream.behave((response) => {
      open(response);
      response.write(role + text('half'));
    });
    const sse = await (await ask(more)).text();
    expect(chunksOf(sse).at(-1)?.error).toMatchObject({
      code: 'upstream_timeout',
      message: expect.stringContaining('1500 ms'),
    });
  });

  it('an error response before anything was sent is an HTTP error, with its message', async () => {
    upstream.behave(
      json(400, { object: 'error', message: "This model's maximum context length is 2048 tokens.", code: 400 }),
    );
    const reply = await ask(more);
    expect(reply.status).toBe(400);
    expect(await reply.json()).toMatchObject({
      error: { code: 'context_length_exceeded', message: expect.stringContaining('2048') },
    });
    upstream.behave(json(429, { error: { message: 'busy' } }, { 'retry-after': '7' }));
    const busy = await ask(more);
    expect([busy.status, busy.headers.get('retry-after')]).toEqual([429, '7']);
    expect(upstream.received).toHaveLength(1);
  });

  it('HTML, a redirect and garbage are reported as such', async () => {
    upstream.behave((response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end('<html>Sign in</html>');
    });
    const page = await ask(more);
    expect(page.status).toBe(502);
    expect(await page.text()).not.toContain('Sign in');
    upstream.behave((response) => {
      response.writeHead(302, { location: 'http://127.0.0.1:9/steal' });
      response.end();
    });
    expect((await ask(more)).status).toBeGreaterThanOrEqual(400);
    upstream.behave(stream('data: {"choices": [}\n\n'));
    const garbage = await (await ask(more)).text();
    expect(garbage).toContain('upstream_invalid_answer');
  });

  it('an oversized event ends the stream with an error', async () => {
    upstream.behave((response) => {
      open(response);
      response.write(`${role}data: {"x":"`);
      const more = Buffer.alloc(1024 * 1024, 'x');
      for (let n = 0; n < 6; n++) response.write(more);
    });
    expect(await (await ask(more)).text()).toContain('upstream_invalid_answer');
  });

  it('security 27: a slow reader slows the upstream down and loses nothing', async () => {
    const line = text('x'.repeat(10_000));
    let written = 0;
    upstream.behave(async (response) => {
      open(response);
      response.write(role);
      for (let n = 0; n < 4000; n++) {
        written += line.length;
        if (!response.write(line)) await new Promise((resolve) => response.once('drain', resolve));
      }
      response.end(stop + done);
    });
    const { body } = await undiciRequest(`${proxy.url}/v1/chat/completions`, {
      method: 'POST',
      headers,
      body: bodyOf(more),
    });
    for (let before = -1; before !== written; await sleep(200)) before = written;
    expect(written).toBeLessThan(20_000_000);
    let length = 0;
    for await (const part of body) length += (part as Buffer).length;
    expect(length).toBeGreaterThan(4000 * 10_000);
    expect(written).toBe(4000 * line.length);
  });
});

describe('a turn that is passed through', () => {
  const spaced = (delta: object, more: object = {}): string =>
    chunk(delta, (more as { finish?: string }).finish ?? null).replace(/([:,])(?=["{[\dn])/g, '$1 ');
  it('D-23 is not requested again once its text was sent, however its server formats its JSON', async () => {
    upstream.behave(async (response) => {
      open(response);
      response.write(spaced({ role: 'assistant', content: '' }) + spaced({ content: 'half' }));
      await sleep(50);
      response.destroy();
    });
    const sse = await (await ask()).text();
    expect(contentOf(sse)).toBe('half');
    expect(chunksOf(sse).at(-1)?.error).toMatchObject({ code: 'upstream_cut_off' });
    expect(upstream.received).toHaveLength(1);
    expect(lastRow()?.firstTokenMs).not.toBeNull();
  });

  it('D-3 with its engine’s error about its model’s own malformed call is parsed as that call, and is no outage', async () => {
    const raw = "error parsing tool call: raw='I would call {\"path\": oops', err=invalid character 'o'";
    for (const streams of [true, false]) {
      upstream.behave(json(500, { error: { message: raw } }));
      const reply = await ask({ stream: streams });
      expect([reply.status, await reply.text()]).toEqual([200, expect.stringContaining('I would call')]);
      expect(upstream.received).toHaveLength(1);
    }
    await until(() => lastRow()?.classes.includes('EngineRejected') === true);
  });

  it('FR-011 R-7 includes the requested counts that the upstream does not report', async () => {
    upstream.behave(stream(role, text('some words'), stop, done));
    const streamed = await (await ask({ stream_options: { include_usage: true } })).text();
    const frames = streamed.trimEnd().split('\n\n');
    expect(frames.at(-1)).toBe('data: [DONE]');
    expect(JSON.parse(frames.at(-2)?.slice(6) ?? '')).toMatchObject({
      choices: [],
      usage: { completion_tokens: 2, estimated: true },
    });
    expect(streamed.match(/\[DONE\]/g)).toHaveLength(1);
    upstream.behave(stream(role, text('some words'), stop, done));
    expect(await (await ask()).text()).not.toContain('usage');
  });

  it('R-7 has the upstream’s counts in its record, with or without white space', async () => {
    const usage = `data: {"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 5}}\n\n`;
    upstream.behave(stream(spaced({ content: 'Hi' }), spaced({}, { finish: 'stop' }), usage, done));
    await (await ask()).text();
    expect(lastRow()).toMatchObject({ tokenSource: 'upstream', inputTokens: 7, outputTokens: 5 });
  });

  const words =
    'The quick brown fox jumps over the lazy dog. "Zwölf Boxkämpfer" jagen Viktor quer über den Sylter Deich.\n';
  it.each([1, 200])(
    'R-7 SC-006 has estimated ones if the upstream reported none (%s times the text)',
    async (times) => {
      const lines = Array.from({ length: times }, () => words);
      const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base');
      const tokens = countTokens(lines.join(''));
      const near = (found: number | null | undefined): void => {
        expect(found).toBeGreaterThan(tokens * 0.95);
        expect(found).toBeLessThan(tokens * 1.05);
      };
      upstream.behave(
        stream(
          role,
          ...lines.flatMap((line) => [chunk({ reasoning_content: line.slice(0, 50) }), text(line.slice(50))]),
          stop,
          done,
        ),
      );
      expect(await (await ask()).text()).not.toContain('usage');
      await until(() => lastRow()?.tokenSource === 'estimated');
      expect(lastRow()?.inputTokens).toBeGreaterThan(1);
      near(lastRow()?.outputTokens);
      const message = { role: 'assistant', content: lines.join('') };
      upstream.behave(
        json(200, {
          id: 'x',
          object: 'chat.completion',
          created: 1,
          model: 'm',
          choices: [{ index: 0, message, finish_reason: 'stop' }],
        }),
      );
      expect(await (await ask({ stream: false })).json()).not.toHaveProperty('usage');
      await until(() => lastRow()?.streamed === false);
      expect(lastRow()?.tokenSource).toBe('estimated');
      near(lastRow()?.outputTokens);
    },
  );
});

describe('attempts', () => {
  it('D-24 a connection that was reset before any byte is retried on a fresh one', async () => {
    upstream.behave(cut, stream(role, text('again'), stop, done));
    expect(contentOf(await (await ask()).text())).toBe('again');
    expect(upstream.received).toHaveLength(2);
    expect(lastRow()).toMatchObject({ attempts: 2, status: 200 });
  });

  it('fails over to the next upstream before anything was sent', async () => {
    upstream.behave(json(503, { error: { message: 'loading' } }));
    second.behave(stream(role, text('second'), stop, done));
    expect(contentOf(await (await ask({ model: 'two' })).text())).toBe('second');
    expect([upstream.received.length, second.received.length]).toEqual([1, 1]);
  });

  it('a response that broke off before its first word is requested again', async () => {
    upstream.behave(
      (response) => {
        open(response);
        response.write(role);
        setTimeout(() => response.destroy(), 20);
      },
      stream(role, text('whole'), stop, done),
    );
    const sse = await (await ask({ tools })).text();
    expect(contentOf(sse)).toBe('whole');
    expect(chunksOf(sse).filter((one) => one.choices[0]?.delta.role)).toHaveLength(1);
  });

  it('R-8 a parameter that the upstream refuses is left out from then on, and the client is informed', async () => {
    upstream.behave(
      json(400, { error: { message: 'Unrecognized request argument supplied: logit_bias' } }),
      stream(role, text('fine'), stop, done),
    );
    const reply = await ask({ logit_bias: {}, seed: 1 });
    expect(contentOf(await reply.text())).toBe('fine');
    expect(upstream.received.map(({ body }) => ['logit_bias' in body, 'seed' in body])).toEqual([
      [true, true],
      [false, true],
    ]);
    expect(reply.headers.get('x-callsmith-dropped-parameters')).toBe('logit_bias');
    expect(proxy.snapshot.learned).toContainEqual(
      expect.objectContaining({ modelId: 'model_m', what: 'parameter:logit_bias', value: false }),
    );
  });

  it('R-8 an error about a parameter that was not sent goes to the client; nothing is learned from it', async () => {
    const before = proxy.snapshot.learned.length;
    upstream.behave(json(400, { error: { message: "Unsupported parameter: 'temperature' is not supported." } }));
    const reply = await ask({ tools, stream: false });
    expect([reply.status, upstream.received.length, proxy.snapshot.learned.length]).toEqual([400, 1, before]);
  });

  /** Those that asked for an answer, not for a count of tokens. */
  const completions = () => upstream.received.filter(({ url }) => url.endsWith('/chat/completions'));

  it.each([true, false])(
    'a server that has only /responses gets requests by it, and that is remembered: stream %s',
    async (streamed) => {
      const own = await startProxy([{ name: 'm', baseUrls: [upstream.baseUrl] }]);
      const response = { id: 'r', status: 'completed', output: [] };
      upstream.behave((reply, { url }) => {
        if (!url.endsWith('/responses'))
          return json(404, { detail: 'Not Found' })(reply, upstream.received[0] as never);
        if (!streamed)
          return json(200, {
            ...response,
            output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'fine' }] }],
            usage: { input_tokens: 1, output_tokens: 1 },
          })(reply, upstream.received[0] as never);
        const delta = { type: 'response.output_text.delta', output_index: 0, delta: 'fine' };
        const end = {
          type: 'response.completed',
          response: { ...response, usage: { input_tokens: 1, output_tokens: 1 } },
        };
        return stream(...[delta, end].map((event) => `data: ${JSON.stringify(event)}\n\n`))(
          reply,
          upstream.received[0] as never,
        );
      });
      for (const more of [{}, { tools }, {}]) {
        const body = bodyOf({ stream: streamed, ...more });
        const reply = await fetch(`${own.url}/v1/chat/completions`, { method: 'POST', headers, body });
        expect(reply.status).toBe(200);
        expect(await reply.text()).toContain('fine');
      }
      expect(upstream.received.map(({ url }) => url)).toEqual([
        '/v1/chat/completions',
        ...Array(3).fill('/v1/responses'),
      ]);
      await own.close();
    },
  );

  it('a server that has neither API gets both, in each request', async () => {
    const own = await startProxy([{ name: 'm', baseUrls: [upstream.baseUrl] }]);
    upstream.behave(json(404, { detail: 'Not Found' }));
    for (let round = 0; round < 2; round++)
      expect(
        (await fetch(`${own.url}/v1/chat/completions`, { method: 'POST', headers, body: bodyOf({}) })).status,
      ).toBe(502);
    expect(upstream.received.map(({ url }) => url.slice(4))).toEqual([
      'chat/completions',
      'responses',
      'chat/completions',
      'responses',
    ]);
    await own.close();
  });

  it('D-37 a refused parameter is learned only after a request without it gave output', async () => {
    const before = proxy.snapshot.learned.length;
    upstream.behave(json(400, { error: { message: 'Unrecognized request argument supplied: top_logprobs' } }));
    expect((await ask({ top_logprobs: 1, stream: false })).status).toBe(400);
    expect([upstream.received.length, proxy.snapshot.learned.length]).toEqual([2, before]);
  });

  it('D-37 an engine that repeats the user’s text disables nothing', async () => {
    const before = proxy.snapshot.learned.length;
    const userText = 'my car does not support tools';
    const repeated = `[{'type': 'string_type', 'loc': ('body', 'messages', 0), 'msg': 'Not valid', 'input': '${userText}'}]`;
    upstream.behave(json(400, { error: { message: repeated } }));
    expect((await ask({ tools, stream: false })).status).toBe(400);
    expect(upstream.received).toHaveLength(1);
    // Here the words are the engine's own; but since they stand in the request too, nobody knows.
    upstream.behave(
      json(400, { error: { message: 'm does not support tools' } }),
      json(200, { choices: [{ index: 0, message: { role: 'assistant', content: 'fine' }, finish_reason: 'stop' }] }),
    );
    const reply = await ask({ tools, stream: false, messages: [{ role: 'user', content: userText }] });
    expect([reply.status, completions().length]).toEqual([200, 2]);
    expect(proxy.snapshot.learned.length).toBe(before);
  });

  it('D-38 if the strategy is set to native, the same request is retried once and no more', async () => {
    const own = await startProxy([{ name: 'm', strategy: 'native', baseUrls: [upstream.baseUrl] }]);
    const message = 'The model produced output that does not match the expected peg-native format';
    upstream.behave(json(500, { error: { message } }));
    for (let round = 0; round < 6; round++) {
      upstream.received.length = 0;
      const reply = await fetch(`${own.url}/v1/chat/completions`, { method: 'POST', headers, body: bodyOf({ tools }) });
      expect([reply.status, upstream.received.length]).toEqual([502, 2]);
    }
    expect(own.proxy.breaker.openModels()).toEqual([]);
    await own.close();
  });

  it('every 503 says when to retry, also during a stop', async () => {
    const stopped = await startProxy([{ name: 'm', baseUrls: [upstream.baseUrl] }]);
    upstream.behave(() => {});
    const pending = fetch(`${stopped.url}/v1/chat/completions`, {
      method: 'POST',
      headers,
      body: bodyOf({ stream: false }),
    });
    await until(() => upstream.received.length === 1);
    const stopping = stopped.close();
    const reply = await pending;
    expect([reply.status, Number(reply.headers.get('retry-after')) > 0]).toEqual([503, true]);
    await stopping;
  });

  it('security 13: of the client’s headers only the trace is forwarded; none of the upstream’s are returned', async () => {
    upstream.behave((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'set-cookie': 'a=b', 'x-secret': '1' });
      response.end(role + text('Hi') + stop + done);
    });
    const reply = await fetch(`${proxy.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { ...headers, cookie: 'session=1', 'x-forwarded-for': '1.2.3.4', traceparent: '00-a-b-01' },
      body: bodyOf({ api_base: 'http://evil', headers: { a: 'b' } }),
    });
    await reply.text();
    const [received] = upstream.received;
    expect(received?.headers).toMatchObject({ traceparent: '00-a-b-01' });
    for (const name of ['authorization', 'cookie', 'x-forwarded-for']) expect(received?.headers[name]).toBeUndefined();
    expect(received?.body).not.toHaveProperty('api_base');
    expect(received?.body).not.toHaveProperty('headers');
    for (const name of ['set-cookie', 'x-secret']) expect(reply.headers.get(name)).toBeNull();
  });
});

describe('calls', () => {
  const long = JSON.stringify({ path: 'a.txt', content: 'x'.repeat(3000) });

  it('D-1 a buffered call that is cut by the end of the stream is dropped, never delivered', async () => {
    upstream.behave(async (response) => {
      open(response);
      response.write(role + text('Writing.') + call(0, 'write_file', '{"path":"a.txt","content":"half'));
      await sleep(30);
      response.destroy();
    });
    const sse = await (await ask({ tools })).text();
    expect(sse).not.toContain('tool_calls');
    expect(chunksOf(sse).at(-1)?.error?.code).toBe('upstream_cut_off');
    await until(() => lastRow()?.classes.includes('Truncated') === true);
    expect(lastRow()).toMatchObject({ outcome: 'failed' });
  });

  it('D-1 E-10 a call that is cut while it is streaming ends the stream with an error event', async () => {
    upstream.behave(async (response) => {
      open(response);
      response.write(role + call(0, 'write_file', long.slice(0, 2000)));
      await sleep(30);
      response.destroy();
    });
    const sse = await (await ask({ tools, model: 'streaming' })).text();
    expect(chunksOf(sse).at(-1)?.error?.code).toBe('tool_call_truncated');
    expect(chunksOf(sse).some((one) => one.choices?.[0]?.finish_reason)).toBe(false);
  });

  it('D-1 D-8 a whole response buffers every call to its end: cut by length, it is reported, not an error', async () => {
    upstream.behave(stream(role, call(0, 'write_file', long.slice(0, 2000)), chunk({}, 'length'), done));
    const reply = await ask({ tools, model: 'streaming', stream: false });
    expect(reply.status).toBe(200);
    const { choices } = (await reply.json()) as {
      choices: { message: { tool_calls?: []; content: string }; finish_reason: string }[];
    };
    expect(choices[0]?.finish_reason).toBe('length');
    expect(choices[0]?.message.tool_calls).toBeUndefined();
    expect(choices[0]?.message.content).toContain('write_file');
    await until(() => lastRow()?.classes.includes('Truncated') === true);
  });

  it('D-35 a native call whose arguments break off although the model stopped is wrapped: the client answers with an error', async () => {
    const cut = long.slice(0, 2000);
    upstream.behave(stream(role, call(0, 'write_file', cut), chunk({}, 'stop'), done));
    const reply = await ask({ tools, model: 'streaming', stream: false });
    const { choices } = (await reply.json()) as {
      choices: { message: { tool_calls: { function: { arguments: string } }[] }; finish_reason: string }[];
    };
    expect(choices[0]?.finish_reason).toBe('tool_calls');
    expect(JSON.parse(choices[0]?.message.tool_calls[0]?.function.arguments ?? '')).toEqual({ input: cut });
    await until(() => lastRow()?.outcome === 'failed');
  });

  it('D-3 D-19 a model that calls against tool_choice none leaves no empty response', async () => {
    upstream.behave(stream(role, call(0, 'write_file', long), chunk({}, 'tool_calls'), done));
    const sse = await (await ask({ tools, tool_choice: 'none' })).text();
    expect(sse).not.toContain('tool_calls');
    expect(contentOf(sse)).toContain('write_file');
    expect(chunksOf(sse).flatMap((one) => one.choices?.[0]?.finish_reason ?? [])).toEqual(['stop']);
    await until(() => lastRow()?.classes.includes('CallForbidden') === true);
  });

  it('FR-003 with several choices, one that has its call does not end the others', async () => {
    upstream.behave(async (response) => {
      open(response);
      response.write(`${role}${text(`<tool_call>{"name":"write_file","arguments":${long}}</tool_call>`)}`);
      await sleep(50);
      response.end(chunk({ content: 'The other.' }, null, 1) + chunk({}, 'stop', 1) + done);
    });
    const sse = await (await ask({ tools, n: 2, parallel_tool_calls: false })).text();
    expect(sse).toContain('The other.');
  });

  it('D-8 the finish reason is computed from what was sent', async () => {
    upstream.behave(stream(role, call(0, 'write_file', long), stop, done));
    const sse = await (await ask({ tools })).text();
    expect(chunksOf(sse).flatMap((one) => one.choices?.[0]?.finish_reason ?? [])).toEqual(['tool_calls']);
    upstream.behave(stream(role, text('No call.'), chunk({}, 'tool_calls'), done));
    const none = await (await ask({ tools })).text();
    expect(chunksOf(none).flatMap((one) => one.choices?.[0]?.finish_reason ?? [])).toEqual(['stop']);
  });

  it('D-19 FR-003 without parallel calls the upstream is stopped after the first complete one', async () => {
    upstream.behave(async (response) => {
      open(response);
      response.write(role + call(0, 'write_file', '{"path":"a","content":"1"}'));
      await sleep(50);
      response.write(call(1, 'write_file', '{"path":"b","content":"2"}'));
      await sleep(5000);
      response.end(chunk({}, 'tool_calls') + done);
    });
    const sse = await (await ask({ tools, parallel_tool_calls: false })).text();
    const calls = chunksOf(sse).flatMap((one) => one.choices?.[0]?.delta.tool_calls ?? []);
    expect(new Set(calls.map(({ index }) => index))).toEqual(new Set([0]));
    expect(chunksOf(sse).flatMap((one) => one.choices?.[0]?.finish_reason ?? [])).toEqual(['tool_calls']);
    await upstream.received[0]?.hungUp;
  });

  it('D-19 R-3 a required call that never comes is an error', async () => {
    upstream.behave(
      json(200, {
        id: 'x',
        choices: [{ index: 0, message: { role: 'assistant', content: 'No.' }, finish_reason: 'stop' }],
      }),
    );
    const reply = await ask({ tools, tool_choice: 'required', stream: false });
    expect(reply.status).toBe(502);
    expect(await reply.json()).toMatchObject({ error: { code: 'tool_call_required', origin: 'model' } });
    upstream.behave(stream(role, text('No.'), stop, done));
    expect(chunksOf(await (await ask({ tools, tool_choice: 'required' })).text()).at(-1)?.error?.code).toBe(
      'tool_call_required',
    );
  });

  it('n > 1 keeps its choices apart', async () => {
    upstream.behave(
      stream(
        chunk({ role: 'assistant', content: '' }, null, 0),
        chunk({ role: 'assistant', content: '' }, null, 1),
        chunk({ content: 'a' }, null, 0),
        chunk({ content: 'b' }, null, 1),
        chunk({}, 'stop', 0),
        chunk({}, 'stop', 1),
        done,
      ),
    );
    const chunks = chunksOf(await (await ask({ tools, n: 2 })).text());
    const choicesAt = (index: number) => chunks.flatMap(({ choices }) => choices).filter((one) => one.index === index);
    expect(
      [0, 1].map((index) =>
        choicesAt(index)
          .map(({ delta }) => delta.content ?? '')
          .join(''),
      ),
    ).toEqual(['a', 'b']);
    expect([0, 1].map((index) => choicesAt(index).flatMap((one) => one.finish_reason ?? []))).toEqual([
      ['stop'],
      ['stop'],
    ]);
  });
});

it('stopping: running requests may finish, unfinished ones get an error, and new ones are refused', async () => {
  const own = await startProxy([{ name: 'm', baseUrls: [upstream.baseUrl] }]);
  upstream.behave((response) => {
    open(response);
    response.write(role + text('begun'));
  });
  const reply = await fetch(`${own.url}/v1/chat/completions`, { method: 'POST', headers, body: bodyOf({}) });
  const stopped = own.proxy.stop(200);
  const refused = await fetch(`${own.url}/v1/chat/completions`, { method: 'POST', headers, body: bodyOf({}) });
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
  const sse = await reply.text();
  expect(chunksOf(sse).at(-1)?.error?.code).toBe('shutting_down');
  await stopped;
  await own.close();
});

it.each([true, false])('SC-010 a turn without tools passes through unchanged (streaming: %s)', async (streams) => {
  const frames = [role, text('He said: "\\u00e9 \\n <tool_call>"'), text('😀'), stop];
  const whole = {
    id: 'up-1',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: 'x', odd: [1.0] }, finish_reason: 'stop' }],
    system_fingerprint: 'fp',
  };
  upstream.behave(streams ? stream(...frames, done) : json(200, whole));
  const answer = await (await ask({ stream: streams })).text();
  const set = { id: 'ours', model: 'ours' };
  const plain = (one: string) => ({ ...(JSON.parse(one) as object), ...set });
  if (streams) expect(payloads(answer).slice(0, -1).map(plain)).toEqual(payloads(frames.join('')).map(plain));
  else expect(plain(answer)).toEqual({ ...whole, ...set });
});

it('D-24 a full pool makes requests wait, and refuses them after that', async () => {
  const own = await startProxy([{ name: 'm', baseUrls: [upstream.baseUrl], upstream: { maxConnections: 1 } }], {
    client: new UpstreamClient({ queueMs: 150 }),
  });
  const asking = () => fetch(`${own.url}/v1/chat/completions`, { method: 'POST', headers, body: bodyOf({}) });
  const held: (() => void)[] = [];
  upstream.behave((response) => {
    open(response);
    response.write(role);
    held.push(() => response.end(text('Hi') + stop + done));
  });
  const first = await asking();
  const full = await asking();
  expect([full.status, full.headers.get('retry-after')]).toEqual([503, '1']);
  const waiting = asking();
  await until(() => own.proxy.client.load().waiting === 1);
  held[0]?.();
  await first.text();
  expect((await waiting).status).toBe(200);
  held[1]?.();
  await until(() => own.proxy.client.load().running === 0);
  await own.close();
});

it.each(['http://169.254.169.254/v1', 'http://[::ffff:169.254.169.254]/v1'])(
  'security 11: %s is never connected to',
  async (baseUrl) => {
    const own = await startProxy([{ name: 'm', baseUrls: [baseUrl] }], {
      client: new UpstreamClient({ connect: guarded }),
    });
    const reply = await fetch(`${own.url}/v1/chat/completions`, { method: 'POST', headers, body: bodyOf({}) });
    expect(reply.status).toBe(502);
    expect(await reply.json()).toMatchObject({
      error: { code: 'upstream_unreachable', message: expect.stringContaining('which is blocked') },
    });
    await own.close();
  },
);
