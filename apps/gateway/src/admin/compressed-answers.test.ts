import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from './test-gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

const get = (url: string, encodings?: string) =>
  gateway.app.inject({
    method: 'GET',
    url,
    headers: { cookie: gateway.cookies.admin, ...(encodings !== undefined && { 'accept-encoding': encodings }) },
  });

it.each([
  ['br, gzip', 'br', brotliDecompressSync],
  ['gzip', 'gzip', gunzipSync],
] as const)('a long response is compressed for a browser that accepts %s', async (takes, encoding, decompress) => {
  const plain = await get('/api/dialects');
  const small = await get('/api/dialects', takes);
  expect(plain.headers['content-encoding']).toBeUndefined();
  expect(small.headers['content-encoding']).toBe(encoding);
  expect(small.headers.vary).toMatch(/accept-encoding/i);
  expect(small.rawPayload.length).toBeLessThan(plain.rawPayload.length / 2);
  expect(JSON.parse(decompress(small.rawPayload).toString())).toEqual(plain.json());
});

it('a response of one packet, and one of the inference API, are not compressed', async () => {
  expect((await get('/api/session', 'br, gzip')).headers['content-encoding']).toBeUndefined();
  expect((await get('/v1/models', 'br, gzip')).headers['content-encoding']).toBeUndefined();
});
