import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { apiKey, startProxy, type TestProxy } from './test-proxy.ts';
import { testUpstream } from './test-upstream.ts';

const upstream = await testUpstream();
let proxy: TestProxy;

/** For each answer one of its own, which has not taken the upstream out of rotation for another. */
beforeEach(async () => {
  proxy = await startProxy([{ name: 'm', strategy: 'native', dialect: 'hermes', baseUrls: [upstream.baseUrl] }]);
});
afterEach(() => proxy.close());

const schema = { type: 'object', properties: {} };
const chat = {
  model: 'm',
  messages: [{ role: 'user', content: 'Hi' }],
  tools: [{ type: 'function', function: { name: 'git_status', parameters: schema } }],
};
/** The same request in every client API, whole and streamed. */
const requests = ([false, true] as const).flatMap((stream): [string, string, object][] => [
  ['chat', '/v1/chat/completions', { ...chat, stream }],
  ['chat without tools', '/v1/chat/completions', { ...chat, stream, tools: undefined }],
  ['proxy', '/proxy/chat/completions', { ...chat, stream }],
  [
    'responses',
    '/v1/responses',
    { model: 'm', input: 'Hi', tools: [{ type: 'function', name: 'git_status', parameters: schema }], stream },
  ],
  [
    'messages',
    '/v1/messages',
    {
      model: 'm',
      max_tokens: 9,
      messages: chat.messages,
      tools: [{ name: 'git_status', input_schema: schema }],
      stream,
    },
  ],
  [
    'gemini',
    `/v1beta/models/m:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    {
      contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
      tools: [{ functionDeclarations: [{ name: 'git_status' }] }],
    },
  ],
]);

async function ask(path: string, body: object): Promise<{ status: number; text: string }> {
  const reply = await fetch(proxy.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
    body: JSON.stringify(body),
  });
  return { status: reply.status, text: await reply.text() };
}

const completion = (choices: string): string =>
  `{"id":"a","object":"chat.completion","created":1,"model":"m","choices":${choices}}`;
const deep = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const calling = (args: string): string =>
  completion(
    `[{"index":0,"message":{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"git_status","arguments":${args}}}]},"finish_reason":"tool_calls"}]`,
  );

const event = (members: string): string => `data: {"choices":[{"index":0,${members}}]}\n\n`;
const type = { whole: 'application/json', stream: 'text/event-stream' };

// A request that is never answered ends its test.
describe('an odd response is handled, without an internal error', { timeout: 60_000 }, () => {
  it.each([
    ['choices that are none', type.whole, completion('[null,1,"x",[],{},{"message":null}]')],
    ['another choice than the first', type.whole, completion('[null,{"message":{"content":"Hi"}}]')],
    ['the index of another choice', type.whole, completion('[{"index":7,"message":{"content":"Hi"}}]')],
    ['a number for content', type.whole, completion('[{"index":0,"message":{"content":5}}]')],
    ['calls that are none', type.whole, completion('[{"message":{"tool_calls":[null,1,{},{"function":null}]}}]')],
    ['arguments of 20,000 levels', type.whole, calling(JSON.stringify(`{"a":${deep(20_000)}}`))],
    ['arguments of 3,000 levels', type.whole, calling(JSON.stringify(`{"a":${deep(3_000)}}`))],
    ['arguments of 20,000 levels as an object', type.whole, calling(`{"a":${deep(20_000)}}`)],
    [
      'an unknown member of 20,000 levels',
      type.whole,
      completion(`[{"index":0,"message":{"content":"Hi","more":${deep(20_000)}},"more":${deep(20_000)}}]`),
    ],
    [
      'an unknown member of 20,000 levels in an event',
      type.stream,
      event('"delta":{"content":"Hi"}') + event(`"delta":{"content":"Hi","more":${deep(20_000)}}`),
    ],
    [
      'an event of another choice, which calls nothing',
      type.stream,
      'data: {"choices":[{"index":3,"delta":{"content":""},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
    ],
  ])('%s', async (_, contentType, body) => {
    upstream.behave((response) => {
      response.writeHead(200, { 'content-type': contentType });
      response.end(body);
    });
    for (const [name, path, request] of requests) {
      const { status, text } = await ask(path, request);
      expect([name, text]).not.toEqual([name, expect.stringContaining('internal_error')]);
      // 503, 529: after five bad ones the upstream is left alone for a while.
      expect([200, 502, 503, 529]).toContain(status);
    }
  });

  it('a byte order mark is skipped', async () => {
    upstream.behave((response) => {
      response.writeHead(200, { 'content-type': type.whole });
      response.end(`\ufeff${completion('[{"index":0,"message":{"content":"Hi there"},"finish_reason":"stop"}]')}`);
    });
    for (const [, path, request] of requests) expect((await ask(path, request)).text).toContain('Hi there');
  });

  it.each(['Text/Event-Stream; charset=UTF-8', 'text/plain; charset=utf-8', 'application/octet-stream', undefined])(
    'a stream is recognized by its content, with the media type %s',
    async (contentType) => {
      upstream.behave((response) => {
        response.writeHead(200, contentType === undefined ? {} : { 'content-type': contentType });
        response.write(event('"delta":{"role":"assistant","content":"Hi "}'));
        response.end(`${event('"delta":{"content":"there"},"finish_reason":"stop"')}data: [DONE]\n\n`);
      });
      for (const [name, path, request] of requests.slice(requests.length / 2)) {
        const { text } = await ask(path, request);
        expect([name, text]).toEqual([name, expect.stringContaining('there"')]);
        expect([name, text]).not.toEqual([name, expect.stringContaining('"origin"')]);
      }
    },
  );

  it('one that is compressed without being requested is refused by that name', async () => {
    upstream.behave((response) => {
      response.writeHead(200, { 'content-type': type.whole, 'content-encoding': 'gzip' });
      response.end(gzipSync(completion('[{"index":0,"message":{"content":"Hi"}}]')));
    });
    const raw = ['embeddings', '/v1/embeddings', { model: 'm', input: 'Hi' }] as const;
    for (const [, path, request] of [raw, requests[0] as (typeof requests)[number]]) {
      const { status, text } = await ask(path, request);
      expect(status).toBe(502);
      expect(text).toContain('sent a compressed response (gzip)');
    }
  });

  it.each([
    ['Not JSON', 'answered 200 with a body that is not JSON'],
    ['', 'answered 200 without a body'],
    ['<html>Sign in</html>', 'answered 200 with an HTML page'],
  ])('the description of %j is true', async (body, description) => {
    upstream.behave((response) => {
      response.writeHead(200, { 'content-type': type.whole });
      response.end(body);
    });
    const [, path, request] = requests[0] as (typeof requests)[number];
    expect(await ask(path, request)).toEqual({ status: 502, text: expect.stringContaining(description) });
  });

  it('an arguments object is no deeper than a client can send back', async () => {
    const [, path, request] = requests.find(([name]) => name === 'messages') as (typeof requests)[number];
    for (const [levels, input] of [
      [100, { a: JSON.parse(deep(100)) }],
      [1000, { input: `{"a":${deep(1000)}}` }],
    ] as const) {
      upstream.behave((response) => {
        response.writeHead(200, { 'content-type': type.whole });
        response.end(calling(JSON.stringify(`{"a":${deep(levels)}}`)));
      });
      const { content } = JSON.parse((await ask(path, request)).text);
      expect(content).toEqual([expect.objectContaining({ type: 'tool_use', input })]);
    }
  });
});
