import { describe, expect, it } from 'vitest';
import { Heartbeat } from '../response/heartbeat.ts';
import { apiKey, testProxy } from './test-proxy.ts';
import { call, chunk, done, json, open, role, stop, stream, testUpstream, text } from './test-upstream.ts';

const upstream = await testUpstream();
const proxy = await testProxy(
  [
    { name: 'org/model:8b', strategy: 'native', baseUrls: [upstream.baseUrl] },
    { name: 'plain', strategy: 'native', baseUrls: [upstream.baseUrl] },
  ],
  { heartbeat: new Heartbeat(100, 60_000) },
);

const hi = { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] };
const answer = json(200, {
  id: 'u',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
});

// biome-ignore lint/suspicious/noExplicitAny: answers and errors, read as they come.
type Json = any;

async function post(
  path: string,
  body: unknown = hi,
  headers: Record<string, string> = { 'x-goog-api-key': apiKey },
): Promise<{ status: number; headers: Headers; body: Json }> {
  const reply = await fetch(proxy.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const responseText = await reply.text();
  return {
    status: reply.status,
    headers: reply.headers,
    body: responseText.startsWith('{') ? JSON.parse(responseText) : responseText,
  };
}

describe('the model in the address', () => {
  it.each([
    '/v1beta/models/org/model:8b:generateContent',
    '/v1beta/models/org%2Fmodel%3A8b:generateContent',
    '/v1/models/org/model:8b:generateContent',
    '/v1/v1beta/models/org/model:8b:generateContent?alt=json',
  ])('%s', async (path) => {
    upstream.behave(answer);
    const { status, body } = await post(path);
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body).toMatchObject({
      modelVersion: 'org/model:8b',
      candidates: [{ content: { parts: [{ text: 'Hello' }] } }],
    });
  });

  it('takes precedence over that in the body, and decides whether it streams', async () => {
    upstream.behave(answer);
    const { body } = await post('/v1beta/models/plain:generateContent', { ...hi, model: 'org/model:8b', stream: true });
    expect(body).toMatchObject({ modelVersion: 'plain' });
  });

  it('streams, with any key header', async () => {
    for (const headers of [{ 'x-goog-api-key': apiKey }, { authorization: `Bearer ${apiKey}` }]) {
      upstream.behave(stream(role, text('Hello'), done));
      const { body } = await post('/v1beta/models/plain:streamGenerateContent?alt=sse', hi, headers);
      expect(body).toContain('"text":"Hello"');
      expect(body).not.toContain('[DONE]');
    }
  });
});

describe('without alt=sse a stream is an array of JSON', () => {
  const tools = [{ functionDeclarations: [{ name: 'look' }] }];
  const path = '/v1beta/models/plain:streamGenerateContent';

  it.each(['', '?alt=json', '?$alt=json;enum-encoding=int', '?x=alt=sse'])('asked for by "%s"', async (query) => {
    upstream.behave(stream(role, text('Hello'), call(0, 'look', '{"at":"a"}'), stop, done));
    const { status, headers, body } = await post(path + query, { ...hi, tools });
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    const all = JSON.parse(body);
    expect(all.flatMap(({ candidates }: Json) => candidates[0].content.parts)).toMatchObject([
      { text: 'Hello' },
      { functionCall: { name: 'look', args: { at: 'a' } } },
      { text: '' },
    ]);
    expect(all.at(-1).candidates[0].finishReason).toBe('STOP');
  });

  it('sent element by element, with heartbeats meanwhile', async () => {
    let finish = (): void => {};
    upstream.behave(async (response) => {
      open(response);
      await new Promise((wait) => setTimeout(wait, 400));
      response.write(role + text('Hel'));
      await new Promise<void>((wait) => {
        finish = wait;
      });
      response.end(text('lo') + chunk({}, 'stop') + done);
    });
    const reply = await fetch(proxy.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-goog-api-key': apiKey },
      body: JSON.stringify(hi),
    });
    let received = '';
    for await (const bytes of reply.body as unknown as AsyncIterable<Uint8Array>) {
      received += new TextDecoder().decode(bytes);
      if (received.includes('Hel')) finish();
    }
    expect(received).toMatch(/^\[\n+\{.*"Hel"/);
    expect(JSON.parse(received)).toHaveLength(3);
  });

  it('errors are elements of it: before it begins and in mid-stream', async () => {
    const unknown = await post('/v1beta/models/none:streamGenerateContent');
    expect([unknown.status, JSON.parse(unknown.body)[0].error.status]).toEqual([404, 'NOT_FOUND']);
    upstream.behave(stream(role, text('Once'), 'data: {"error":{"message":"out of memory","code":500}}\n\n'));
    const amid = await post(path);
    expect([amid.status, JSON.parse(amid.body).at(-1).error.code]).toEqual([200, 502]);
  });
});

describe('errors have Google’s form', () => {
  const reason = ({ error }: Json): string => error.details[0].metadata.code;

  it.each([
    ['/v1beta/models/plain:generateContent?key=sk-1', 401, 'invalid_api_key', 'UNAUTHENTICATED'],
    [`/v1beta/models/plain:countTokens?key=${apiKey}`, 401, 'invalid_api_key', 'UNAUTHENTICATED'],
    ['/v1beta/models/plain:embedContent', 404, 'not_found', 'NOT_FOUND'],
    ['/v1beta/models/plain', 404, 'not_found', 'NOT_FOUND'],
    ['/v1beta/models/:generateContent', 400, 'invalid_parameter', 'INVALID_ARGUMENT'],
    ['/v1beta/models/none:generateContent', 404, 'model_not_found', 'NOT_FOUND'],
    ['/v1beta/cachedContents', 404, 'not_found', 'NOT_FOUND'],
    ['/v1/models/plain:embedContent', 404, 'not_found', 'NOT_FOUND'],
  ])('%s', async (path, status, code, name) => {
    const got = await post(path);
    expect([got.status, got.body.error?.status, got.body.error && reason(got.body)]).toEqual([status, name, code]);
    expect(JSON.stringify(got.body)).not.toContain(apiKey);
  });

  it('security 5: a key in the address is refused where models are listed, and a wrong one in the header', async () => {
    const listed = await fetch(`${proxy.url}/v1beta/models?key=${apiKey}`);
    expect(listed.status).toBe(401);
    expect(((await listed.json()) as Json).error.message).toContain('x-goog-api-key');
    const wrong = await fetch(`${proxy.url}/v1beta/models`, { headers: { 'x-goog-api-key': 'wrong' } });
    expect([wrong.status, ((await wrong.json()) as Json).error.status]).toEqual([401, 'UNAUTHENTICATED']);
  });

  it.each(['proto', '', 'SSE'])('a stream in the form "%s"', async (alt) => {
    const { status, body } = await post(`/v1beta/models/plain:streamGenerateContent?alt=${alt}`);
    const [{ error }] = JSON.parse(body);
    expect([status, error.details[0].metadata.param]).toEqual([400, 'alt']);
    expect(error.message).toBe(`alt: expected "sse" or "json", found "${alt}".`);
  });

  it('other methods are refused with a list of the supported ones', async () => {
    const reply = await fetch(`${proxy.url}/v1beta/models`, {
      method: 'DELETE',
      headers: { 'x-goog-api-key': apiKey },
    });
    expect([reply.status, reply.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    for (const action of ['generateContent', 'streamGenerateContent?alt=sse', 'countTokens'])
      for (const [method, status] of [
        ['PUT', 405],
        ['DELETE', 405],
        ['OPTIONS', 204],
      ] as const) {
        const other = await fetch(`${proxy.url}/v1beta/models/org/model:8b:${action}`, { method });
        expect([action, method, other.status, other.headers.get('allow')]).toEqual([action, method, status, 'POST']);
      }
  });
});

it('countTokens accepts a request body or only its contents', async () => {
  const whole = {
    generateContentRequest: { model: 'models/none', ...hi, systemInstruction: { parts: [{ text: 'Be brief.' }] } },
  };
  const bare = await post('/v1beta/models/plain:countTokens');
  const more = await post('/v1beta/models/plain:countTokens', whole);
  expect(more.body.totalTokens).toBeGreaterThan(bare.body.totalTokens);
});
