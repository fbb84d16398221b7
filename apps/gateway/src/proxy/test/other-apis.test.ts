import { expect, it } from 'vitest';
import { apiKey, testProxy } from './test-proxy.ts';
import { json, testUpstream } from './test-upstream.ts';

const upstream = await testUpstream();
const proxy = await testProxy([{ name: 'ranker', upstreamModel: 'bge', baseUrls: [upstream.baseUrl] }]);

const post = (path: string, body: string | FormData, type?: string) =>
  fetch(proxy.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, ...(type && { 'content-type': type }) },
    body,
  });

it('POST /v1/rerank is passed through, except for the model’s name, and its tokens are counted', async () => {
  const answer = { id: 'r', model: 'bge', results: [{ index: 1, relevance_score: 0.9 }], usage: { total_tokens: 9 } };
  upstream.behave(json(200, answer));
  const body = { model: 'ranker', query: 'What is it?', documents: ['a', { text: 'b' }], top_n: 1, vendor: [1e21] };
  const reply = await post('/v1/rerank', JSON.stringify(body), 'application/json');
  expect(reply.status).toBe(200);
  expect(await reply.json()).toMatchObject({ results: answer.results });
  expect(upstream.received[0]).toMatchObject({ url: '/v1/rerank', body: { ...body, model: 'bge' } });
  await expect.poll(() => proxy.recorder.turns.at(-1)).toMatchObject({ inputTokens: 9, outputTokens: 0 });
});

it('POST /v1/rerank without a model, and one that the key may not use, is refused as elsewhere', async () => {
  expect((await post('/v1/rerank', '{}', 'application/json')).status).toBe(400);
  expect((await post('/v1/rerank', '{"model":"none"}', 'application/json')).status).toBe(404);
});

const paths = [
  '/v1/audio/speech',
  '/v1/audio/transcriptions',
  '/v1/images/generations',
  '/v1/images/edits',
  '/v1/moderations',
  '/v1/files',
  '/v1/batches',
];

it.each(paths)('POST %s is refused by a message that lists the supported APIs, whatever the body', async (path) => {
  const form = new FormData();
  form.set('file', new Blob(['x']), 'x.wav');
  const bodies: [string | FormData, string | undefined][] = [
    ['{"model":"ranker","input":"x"}', 'application/json'],
    ['not json', 'application/json'],
    ['x', 'text/plain'],
    [form, undefined],
  ];
  for (const [body, type] of bodies) {
    const reply = await post(path, body, type);
    const { error } = (await reply.json()) as { error: { code: string; message: string } };
    expect([reply.status, error.code]).toEqual([404, 'not_found']);
    expect(error.message).toMatch(
      /is not supported\. Supported: POST \/v1\/chat\/completions, .*\/responses, .*\/messages/,
    );
  }
  expect((await fetch(proxy.url + path)).status).toBe(404);
});
