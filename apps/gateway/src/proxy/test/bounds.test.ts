import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { apiKey, startProxy, type TestProxy } from './test-proxy.ts';
import { type Behavior, startUpstream, type TestUpstream } from './test-upstream.ts';

let upstream: TestUpstream;
let proxy: TestProxy;
const answers = { text: 50_000, arguments: 50_000, calls: 20, frames: 60_000 };

beforeAll(async () => {
  upstream = await startUpstream();
  proxy = await startProxy([{ name: 'native', strategy: 'native', dialect: 'hermes', baseUrls: [upstream.baseUrl] }], {
    answers,
  });
});

afterAll(async () => {
  await proxy.close();
  await upstream.close();
});

const tools = [{ type: 'function', function: { name: 'git_status', parameters: { type: 'object', properties: {} } } }];
const hello = { model: 'native', messages: [{ role: 'user', content: 'Hello' }] };

async function ask(body: object, path = '/v1/chat/completions', target = proxy): Promise<string> {
  const reply = await fetch(target.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
    body: JSON.stringify(body),
  });
  return reply.text();
}

const chunk = (delta: object, reason: string | null = null): string =>
  `data: ${JSON.stringify({ id: 'up', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`;

/** Writes for ever, as fast as it is read. */
const endless =
  (...frames: string[]): Behavior =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    let at = 0;
    const go = (): void => {
      while (!response.destroyed && response.write(frames[at++ % frames.length] as string));
    };
    response.on('drain', () => setImmediate(go));
    go();
  };

const reasons = (text: string): string[] =>
  [...text.matchAll(/"finish_reason":"(\w+)"/g)].map(([, reason]) => reason as string);

describe('D-39 an endless response ends at its limit, and its upstream request is aborted', () => {
  it.each([
    ['text that is parsed', { stream: true, tools }, chunk({ content: 'again and again ' })],
    ['text in large events', { stream: true, tools }, chunk({ content: 'again and again '.repeat(2000) })],
    ['reasoning', { stream: true, tools }, chunk({ reasoning_content: 'again and again ' })],
    [
      'calls in text',
      { stream: true, tools },
      chunk({ content: '<tool_call>{"name":"git_status","arguments":{}}</tool_call>\n' }),
    ],
    ['frames that pass through', { stream: true }, chunk({ content: 'again and again ' })],
    ['frames of several choices', { stream: true, n: 2 }, chunk({ content: 'again and again ' })],
  ])('%s', async (_, overrides, frame) => {
    upstream.behave(endless(frame));
    const text = await ask({ ...hello, ...overrides });
    expect(new Set(reasons(text))).toEqual(new Set(['length']));
    expect(text.trimEnd().endsWith('data: [DONE]')).toBe(true);
    expect(text).not.toContain('"error"');
    await upstream.received.at(-1)?.hungUp;
  });

  it('a response of /v1/responses is incomplete', async () => {
    upstream.behave(endless(chunk({ content: 'again and again ' })));
    const text = await ask(
      {
        model: 'native',
        input: 'Hello',
        stream: true,
        tools: [{ type: 'function', name: 'git_status', parameters: {} }],
      },
      '/v1/responses',
    );
    expect(text).toContain('"max_output_tokens"');
    await upstream.received.at(-1)?.hungUp;
  });

  it('so does a whole response', async () => {
    upstream.behave((response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({
          id: 'up',
          object: 'chat.completion',
          created: 1,
          model: 'm',
          choices: [
            { index: 0, message: { role: 'assistant', content: 'word '.repeat(200_000) }, finish_reason: 'stop' },
          ],
        }),
      );
    });
    const whole = JSON.parse(await ask({ ...hello, tools })) as {
      choices: { finish_reason: string; message: { content: string } }[];
    };
    expect(whole.choices[0]?.finish_reason).toBe('length');
    expect(whole.choices[0]?.message.content.length).toBe(answers.text);
  });
});

it('a whole response of millions of members is refused before it is parsed', async () => {
  upstream.behave((response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(`{"choices":[${'{"a":1},'.repeat(1_000_000)}1]}`);
  });
  const { error } = JSON.parse(await ask(hello)) as { error: { code: string; message: string } };
  expect(error.code).toBe('upstream_invalid_answer');
  expect(error.message).toContain('600,000 object members');
});

it('D-39 of very many choices only as many are parsed as a request may ask for', async () => {
  const choices = Array.from({ length: 50_000 }, (_, index) => ({
    index,
    message: { role: 'assistant', content: 'a' },
    finish_reason: 'stop',
  }));
  upstream.behave((response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ id: 'up', object: 'chat.completion', created: 1, model: 'm', choices }));
  });
  const whole = JSON.parse(await ask({ ...hello, tools })) as { choices: object[] };
  expect(whole.choices.length).toBeLessThanOrEqual(128);
});

it('D-39 token arrays to embeddings are passed through unchanged, and numbers elsewhere are members', async () => {
  upstream.behave((response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end('{"object":"list","data":[]}');
  });
  const tokens = `[${'17, '.repeat(200_000)}[3,4],0]`;
  const postBody = (body: string, path = '/v1/embeddings') =>
    fetch(proxy.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
      body,
    });
  const rest = '"user":"a \\"b\\" [1,2]","big":12345678901234567890}';
  expect((await postBody(`{"model":"native","input":${tokens},${rest}`)).status).toBe(200);
  expect(upstream.received[0]?.text).toContain(`"input":${tokens},${rest}`);
  await vi.waitFor(() => expect(proxy.recorder.turns.at(-1)?.inputTokens).toBe(200_003));
  const elsewhere = await postBody(`{"model":"native","input":"Hi","metadata":[${'0.5,'.repeat(100_001)}1]}`);
  expect(elsewhere.status).toBe(400);
  expect(await elsewhere.text()).toContain('100,000 object members');
});

it('other requests are handled while a long response is parsed', async () => {
  const markers = '<tool_call>{"name": '.repeat(2400);
  upstream.behave((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(`${chunk({ content: markers })}${chunk({}, 'stop')}data: [DONE]\n\n`);
  });
  const text = await ask({ ...hello, stream: true, tools });
  const content = [...text.matchAll(/"content":("(?:[^"\\]|\\.)*")/g)].map(
    ([, json]) => JSON.parse(json as string) as string,
  );
  expect(content.join('')).toBe(markers);
  expect(reasons(text)).toEqual(['stop']);
});

it('a connection is kept for the next request, whatever kind of response it carried', async () => {
  const own = await startProxy([{ name: 'native', strategy: 'native', baseUrls: [upstream.baseUrl] }]);
  let closed = 0;
  upstream.behave((response) => {
    response.socket?.once('close', () => closed++);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`${chunk({ content: 'Hi' })}${chunk({}, 'stop')}data: [DONE]\n\n`);
    // The end of the body comes behind the last event.
    setTimeout(() => response.end(), 20);
  });
  for (const overrides of [{ tools }, {}, { tools }]) {
    expect(reasons(await ask({ ...hello, ...overrides, stream: true }, '/v1/chat/completions', own))).toEqual(['stop']);
    await vi.waitFor(() => expect(own.proxy.client.load().running).toBe(0), { timeout: 20_000 });
  }
  expect(closed).toBe(0);
  await own.close();
});
