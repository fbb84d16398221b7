import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { type Config, checkSettings, settingsFrom } from '@callsmith/config';
import { testDatabase } from '@callsmith/testing';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApp } from './app.ts';

const PAGE =
  '<!doctype html><meta name="csp-nonce" content="__CSP_NONCE__"><script src="/assets/index-abc.js"></script>';
const SCRIPT = 'export const one = 1;\n'.repeat(100);

let app: NestFastifyApplication;
let database: Awaited<ReturnType<typeof testDatabase>>;
let root: string;

beforeAll(async () => {
  database = await testDatabase();
  root = mkdtempSync(join(tmpdir(), 'app-'));
  writeFileSync(join(root, 'package.json'), '{"version":"0.0.0"}');
  mkdirSync(join(root, 'apps/dashboard/dist/assets'), { recursive: true });
  writeFileSync(join(root, 'apps/dashboard/dist/index.html'), PAGE);
  writeFileSync(join(root, 'apps/dashboard/dist/favicon.svg'), '<svg/>');
  writeFileSync(join(root, 'apps/dashboard/dist/assets/index-abc.js'), SCRIPT);
  writeFileSync(join(root, 'apps/dashboard/dist/assets/index-abc.js.br'), brotliCompressSync(SCRIPT));
  writeFileSync(join(root, 'apps/dashboard/dist/assets/index-abc.js.gz'), gzipSync(SCRIPT));
  symlinkSync(join(import.meta.dirname, '../../../prisma'), join(root, 'prisma'));
  const settings = settingsFrom(checkSettings({ env: {}, file: {} }), root);
  const config: Config = {
    ...settings,
    databaseUrl: database.url,
    secretKey: 'app-test-secret-key-0123456789abcdef',
    graceMs: 4_000,
    root,
  };
  app = await createApp(config);
});

afterAll(async () => {
  await app.close();
  rmSync(root, { recursive: true });
});

const get = (url: string, accept = 'text/html,*/*') => app.inject({ url, headers: { accept } });

it.each([
  ['/v1/responses/%', {}, { error: { code: 'invalid_parameter', origin: 'client' } }],
  ['/v1/models/%zz', { 'anthropic-version': '2023-06-01' }, { type: 'error', error: { code: 'invalid_parameter' } }],
  ['/v1beta/models/%', { 'x-goog-api-key': 'k' }, { error: { status: 'INVALID_ARGUMENT' } }],
])('an unparsable address is refused in the error format of its API: %s', async (url, headers, body) => {
  const reply = await app.inject({ url, headers });
  expect([reply.statusCode, reply.json()]).toMatchObject([400, body]);
});

it.each([
  ['POST', '/v1beta2/models/gemini-pro:generateText', 'Gemini'],
  ['POST', '/api/chat', 'Ollama'],
  ['GET', '/api/tags', 'Ollama'],
  ['POST', '/openai/deployments/d/chat/completions', 'Azure'],
])('%s %s: 404 that names the APIs that are supported', async (method, url, name) => {
  const reply = await app.inject({ method: method as 'GET', url, headers: { accept: 'application/json' } });
  const { error } = reply.json();
  expect([reply.statusCode, error.code]).toEqual([404, 'not_found']);
  expect(error.message).toContain(name);
  expect(error.message).toContain('POST /v1/chat/completions');
});

it('GET / without a browser answers probes', async () => {
  for (const accept of ['*/*', 'application/json', ''])
    expect((await get('/', accept)).json()).toMatchObject({ status: 'ok' });
});

describe('the dashboard', () => {
  it.each(['/', '/models', '/models/qwen2.5-7b', '/models/org%2Fname', '/link'])('is the page at %s', async (url) => {
    const { statusCode, headers } = await get(url);
    expect([statusCode, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  });

  it('security 16: runs no inline script, loads nothing from elsewhere, cannot be framed', async () => {
    const { body, headers } = await get('/');
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['referrer-policy']).toBe('no-referrer');
    const nonce = /'nonce-([^']+)'/.exec(policy)?.[1];
    expect(body).toBe(PAGE.replace('__CSP_NONCE__', nonce ?? ''));
    expect((await get('/')).headers['content-security-policy']).not.toBe(policy);
  });

  it('has files that may be cached forever, and a page that may not', async () => {
    expect((await get('/assets/index-abc.js')).headers['cache-control']).toContain('immutable');
    expect((await get('/favicon.svg')).headers['cache-control']).toBe('no-cache');
    expect((await get('/')).headers['cache-control']).toBe('no-store');
  });

  it.each([
    ['br', 'gzip, deflate, br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    [undefined, 'identity', (bytes: Buffer) => bytes],
  ] as const)(
    'serves its scripts in the encoding that the browser accepts: %s',
    async (encoding, accepted, decoded) => {
      const url = '/assets/index-abc.js';
      const response = await app.inject({ url, headers: { 'accept-encoding': accepted } });
      expect(response.headers['content-encoding']).toBe(encoding);
      expect(response.headers['content-type']).toMatch(/^(?:text|application)\/javascript/);
      expect(response.headers['cache-control']).toContain('immutable');
      expect(response.headers.vary).toMatch(/accept-encoding/i);
      expect(decoded(response.rawPayload).toString()).toBe(SCRIPT);
      const etag = String(response.headers.etag);
      const again = await app.inject({ url, headers: { 'accept-encoding': accepted, 'if-none-match': etag } });
      expect(again.statusCode).toBe(304);
      const plain = await app.inject({ url, headers: { 'accept-encoding': 'identity' } });
      expect(etag === plain.headers.etag).toBe(encoding === undefined);
    },
  );

  it('has no address for a compressed file, and serves a file without one uncompressed', async () => {
    expect((await get('/assets/index-abc.js.br')).statusCode).toBe(404);
    const response = await app.inject({ url: '/favicon.svg', headers: { 'accept-encoding': 'br' } });
    expect([response.headers['content-encoding'], response.body]).toEqual([undefined, '<svg/>']);
  });

  it.each(['/api/nothing', '/v1/nothing', '/assets/index-old.js'])(
    'is not the response to %s, which does not exist',
    async (url) => {
      const { statusCode, headers } = await get(url);
      expect([statusCode, headers['content-type']]).toEqual([404, 'application/json; charset=utf-8']);
    },
  );

  it('is not the response to a program that does not ask for a page', async () => {
    expect((await get('/models', 'application/json')).statusCode).toBe(404);
    expect((await get('/nothing.png', 'image/*')).statusCode).toBe(404);
  });
});

it('a model name may be long and contain encoded slashes (D-21)', async () => {
  const { statusCode } = await get(`/api/models/${encodeURIComponent(`org/${'n'.repeat(900)}`)}`);
  expect(statusCode).toBe(401);
});

describe('health', () => {
  it('is alive and ready', async () => {
    const alive = await get('/healthz');
    expect([alive.statusCode, alive.json()]).toEqual([200, { status: 'ok' }]);
    const ready = await get('/readyz');
    expect([ready.statusCode, ready.json()]).toEqual([200, { status: 'ready', reasons: [] }]);
  });

  it('without its database it is degraded while it serves from memory, then not ready', async () => {
    await database.stop();
    expect((await get('/healthz')).statusCode).toBe(200);
    const degraded = await get('/readyz');
    expect([degraded.statusCode, degraded.json()]).toEqual([
      200,
      { status: 'degraded', reasons: ['the database is unreachable: keys and models are served from memory'] },
    ]);
    for (let tries = 0; (await get('/readyz')).statusCode === 200; tries++) {
      if (tries > 200) throw new Error('the grace never ended');
      await new Promise((done) => setTimeout(done, 100));
    }
    const { statusCode, body } = await get('/readyz');
    expect([statusCode, JSON.parse(body)]).toEqual([
      503,
      {
        status: 'not ready',
        reasons: ['the database is unreachable, and STORE_GRACE_SECONDS are over: requests are refused'],
      },
    ]);
  }, 30_000);
});
