import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiKey, startProxy, type TestProxy } from './test-proxy.ts';
import { type Behavior, done, type ReceivedRequest, startUpstream, type TestUpstream } from './test-upstream.ts';

let upstream: TestUpstream;
let proxy: TestProxy;

beforeAll(async () => {
  upstream = await startUpstream();
  proxy = await startProxy([
    { name: 'native', strategy: 'native', baseUrls: [upstream.baseUrl] },
    { name: 'prompt', strategy: 'prompt', baseUrls: [upstream.baseUrl] },
    {
      name: 'service',
      strategy: 'native',
      kind: 'openai',
      baseUrls: [upstream.baseUrl],
      upstream: { id: 'up_service' },
    },
  ]);
});

afterAll(async () => {
  await proxy.close();
  await upstream.close();
});

const ask = async (body: string, path = '/v1/chat/completions'): Promise<string> => {
  const reply = await fetch(proxy.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
    body,
  });
  return reply.text();
};

const raw =
  (type: string, body: string): Behavior =>
  (response) => {
    response.writeHead(200, { 'content-type': type });
    response.end(body);
  };

const whole = (members: string, choice: string): Behavior =>
  raw(
    'application/json',
    `{"id":"up-1","object":"chat.completion","created":1,"model":"m",${members}"choices":[{"index":0,"message":{"role":"assistant","content":"Done."},"logprobs":null,"finish_reason":"stop"${choice}}],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}`,
  );

const chunk = (members: string, choices: string): string =>
  `data: {"id":"up-1","object":"chat.completion.chunk","created":1,"model":"m",${members}"choices":[${choices}]}\n\n`;

const schema = '{"type":"object","properties":{"n":{"type":"integer","maximum":12345678901234567890,"default":1e400}}}';
const tool = `{"type":"function","function":{"name":"count","parameters":${schema},"vendor":{"id":9007199254740993}},"cache_control":{"type":"ephemeral"}}`;
const request = (model: string, more = ''): string =>
  `{"model":"${model}","messages":[{"role":"user","content":"Go","trace":98765432109876543210}],"tools":[${tool}],"vendor_seed":12345678901234567891,"vendor":{"limit":1e400}${more}}`;
const fields = '"system_fingerprint":"fp_1","trace":12345678901234567890,';
const ending = ',"stop_reason":151645,"trace":{"n":1e400}';

describe('a request', () => {
  it('keeps numbers that a double cannot hold, and unknown members of tools, unchanged to the server', async () => {
    upstream.behave(whole('', ''));
    await ask(request('native'));
    const { text } = upstream.received[0] ?? { text: '' };
    expect(text).toContain(`"parameters":${schema}`);
    expect(text).toContain('"vendor":{"id":9007199254740993}');
    expect(text).toContain('"cache_control":{"type":"ephemeral"}');
    expect(text).toContain('"trace":98765432109876543210');
    expect(text).toContain('"vendor_seed":12345678901234567891');
    expect(text).toContain('"vendor":{"limit":1e400}');
  });

  it('renders a schema in the prompt with its original bytes', async () => {
    upstream.behave(whole('', ''));
    await ask(request('prompt'));
    const { messages } = (upstream.received[0] as ReceivedRequest).body as { messages: { content: string }[] };
    expect(messages[0]?.content).toContain(`"parameters":${schema}`);
  });

  it('keeps unknown members of tools from OpenAI’s own service, which refuses them', async () => {
    upstream.behave(whole('', ''));
    await ask(request('service'));
    expect(upstream.received[0]?.text).not.toContain('cache_control');
  });

  it('of an API that is passed through keeps its numbers too', async () => {
    upstream.behave(raw('application/json', '{"data":[]}'));
    await ask('{"model":"native","input":"x","vendor_seed":12345678901234567891}', '/v1/embeddings');
    expect(upstream.received[0]?.text).toContain('"vendor_seed":12345678901234567891');
  });
});

describe('a response', () => {
  const plain = '{"model":"native","messages":[{"role":"user","content":"Go"}]';
  it.each([
    ['with tools', request('native')],
    ['by prompt', request('prompt')],
    ['without tools', `${plain}}`],
  ])('whole, %s, keeps unknown members', async (_, body) => {
    upstream.behave(whole(fields, ending));
    const text = await ask(body);
    expect(text).toContain('"system_fingerprint":"fp_1"');
    expect(text).toContain('"trace":12345678901234567890');
    expect(text).toContain('"stop_reason":151645,"trace":{"n":1e400}');
  });

  it.each([
    ['with tools', request('native', ',"stream":true')],
    ['by prompt', request('prompt', ',"stream":true')],
    ['without tools', `${plain},"stream":true}`],
  ])('streamed, %s, keeps unknown members', async (_, body) => {
    upstream.behave(
      raw(
        'text/event-stream',
        [
          chunk(fields, '{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}'),
          chunk(fields, '{"index":0,"delta":{"content":"Done."},"logprobs":null,"finish_reason":null}'),
          chunk(fields, `{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"${ending}}`),
          chunk('"timings":{"n":9007199254740993},', ''),
          done,
        ].join(''),
      ),
    );
    const text = await ask(body);
    expect(text).toContain('"system_fingerprint":"fp_1"');
    expect(text).toContain('"trace":12345678901234567890');
    expect(text).toContain('"stop_reason":151645,"trace":{"n":1e400}');
    expect(text).toContain('"timings":{"n":9007199254740993}');
    expect(text.endsWith(done)).toBe(true);
  });
});
