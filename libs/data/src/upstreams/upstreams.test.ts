import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { testDatabase } from '@callsmith/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { change } from '../database/change.ts';
import { createPrisma, type PrismaService } from '../database/prisma.ts';
import { baseUrlOf, checkUpstreamUrl, guardedLookup, isRefused, RefusedAddress } from './address.ts';
import { discover } from './discover.ts';
import { syncEnvUpstream } from './env-upstream.ts';
import { Unreachable } from './request-upstream.ts';
import { UpstreamWatch } from './upstream-watch.ts';

const SECRET = 'upstream-test-secret-key-0123456789a';

interface Reply {
  readonly status?: number;
  readonly json?: unknown;
  readonly text?: string;
  readonly headers?: Record<string, string>;
}

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A server that responds by path; 404 for the rest. Records its requests. */
async function engine(routes: Record<string, Reply>, port = 0) {
  const received: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    received.push(request);
    const reply = routes[request.url ?? ''] ?? { status: 404, text: 'not found' };
    response.writeHead(reply.status ?? 200, reply.headers);
    response.end(reply.text ?? JSON.stringify(reply.json));
  });
  servers.push(server);
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done));
  const at = (server.address() as AddressInfo).port;
  return { baseUrl: `http://127.0.0.1:${at}/v1`, port: at, received, server };
}

const look = (baseUrl: string, credential?: string) => discover({ baseUrl, credential, kind: undefined });
const list = (...data: object[]): Reply => ({ json: { object: 'list', data } });

describe('discover', () => {
  it('vLLM: by its owner, with max_model_len and version', async () => {
    const { baseUrl, received } = await engine({
      '/v1/models': list({ id: 'Qwen/Qwen3-8B', owned_by: 'vllm', max_model_len: 40960 }),
      '/version': { json: { version: '0.9.2' } },
    });
    expect(await look(baseUrl, 'sk-up')).toMatchObject({
      kind: 'vllm',
      engineVersion: '0.9.2',
      models: [{ name: 'Qwen/Qwen3-8B', contextLength: 40960 }],
    });
    expect(received.map(({ url }) => url)).toEqual(['/v1/models', '/version']);
    expect(received[0]?.headers.authorization).toBe('Bearer sk-up');
  });

  it('SGLang: by /get_model_info, version from /server_info', async () => {
    const { baseUrl } = await engine({
      '/v1/models': list({ id: 'glm', owned_by: 'sglang', max_model_len: 131072 }),
      '/get_model_info': { json: { model_path: '/m', is_generation: true } },
      '/server_info': { json: { version: '0.4.9' } },
    });
    expect(await look(baseUrl)).toMatchObject({
      kind: 'sglang',
      engineVersion: '0.4.9',
      models: [{ contextLength: 131072 }],
    });
  });

  it('llama.cpp: the context of a slot, not that of the training', async () => {
    const { baseUrl } = await engine({
      '/v1/models': list({ id: 'q.gguf', owned_by: 'llamacpp', meta: { n_ctx_train: 131072 } }),
      '/props': { json: { default_generation_settings: { n_ctx: 8192 }, build_info: 'b5000-abc' } },
    });
    expect(await look(baseUrl)).toMatchObject({
      kind: 'llamacpp',
      engineVersion: 'b5000-abc',
      models: [{ contextLength: 8192 }],
    });
  });

  it('Ollama: its capabilities, and a context only where num_ctx is set', async () => {
    const { baseUrl } = await engine({
      '/v1/models': list({ id: 'qwen3:8b', owned_by: 'library' }),
      '/api/version': { json: { version: '0.11.0' } },
      '/api/show': { json: { parameters: 'stop "<x>"\nnum_ctx   16384', capabilities: ['completion', 'tools'] } },
    });
    expect(await look(baseUrl)).toMatchObject({
      kind: 'ollama',
      engineVersion: '0.11.0',
      models: [{ name: 'qwen3:8b', contextLength: 16384, tools: true }],
    });
  });

  it('LM Studio: loaded context, no embedding models', async () => {
    const { baseUrl } = await engine({
      '/v1/models': list({ id: 'a', owned_by: 'organization_owner' }, { id: 'e', owned_by: 'organization_owner' }),
      '/api/v0/models': list(
        { id: 'a', type: 'llm', loaded_context_length: 4096, max_context_length: 32768, capabilities: ['tool_use'] },
        { id: 'e', type: 'embeddings' },
      ),
    });
    const found = await look(baseUrl);
    expect(found.kind).toBe('lmstudio');
    expect(found.models).toEqual([{ name: 'a', contextLength: 4096, tools: true }]);
  });

  it('anything else is OpenAI-compatible; an engine is recognized under another owner too', async () => {
    const plain = await engine({
      '/v1/models': list({ id: 'm', context_length: 1000 }, { id: 7 }, { id: 'bad\u0000name' }),
    });
    expect(await look(plain.baseUrl)).toMatchObject({ kind: 'openai', models: [{ name: 'm', contextLength: 1000 }] });
    const renamed = await engine({
      '/v1/models': list({ id: 'm', owned_by: 'us' }),
      '/version': { json: { version: '0.8.0' } },
    });
    expect(await look(renamed.baseUrl)).toMatchObject({ kind: 'vllm', engineVersion: '0.8.0' });
    const odd = await engine({ '/v1/models': list({ id: 'm' }), '/version': { json: { version: '0.8\0\ud83d' } } });
    expect((await look(odd.baseUrl)).engineVersion).toBe('0.8\ufffd\ufffd');
  });

  it('a model that is listed twice is one model', async () => {
    const { baseUrl } = await engine({
      '/v1/models': list({ id: 'twice', max_model_len: 4096 }, { id: 'once' }, { id: 'twice' }),
    });
    const { models } = await look(baseUrl);
    expect(models.map(({ name, contextLength }) => [name, contextLength])).toEqual([
      ['twice', 4096],
      ['once', undefined],
    ]);
  });

  it('says what is wrong', async () => {
    const keyed = await engine({ '/v1/models': { status: 401 } });
    await expect(look(keyed.baseUrl)).rejects.toThrow('it requires an API key (401)');
    await expect(look(keyed.baseUrl, 'x')).rejects.toThrow('it rejected the API key (401)');
    const html = await engine({ '/v1/models': { text: '<html>' } });
    await expect(look(html.baseUrl)).rejects.toThrow('Is this the URL of an OpenAI-compatible API?');
    await expect(look('http://127.0.0.1:1/v1')).rejects.toThrow('connection refused');
    await expect(look('http://no-such-host.invalid/v1')).rejects.toThrow(Unreachable);
  });

  it.each([
    ['/prefix/v1', '/prefix/models', '/prefix'],
    ['/prefix', '/prefix/v1/models', '/prefix/v1'],
    ['/prefix/v1?a=b', '/prefix/models?a=b', '/prefix?a=b'],
  ])('%s: with its models at %s, the base URL that was meant is %s', async (given, models, meant) => {
    const { baseUrl } = await engine({ [models]: list({ id: 'm' }) });
    const { origin } = new URL(baseUrl);
    expect(await look(origin + given)).toMatchObject({ baseUrl: origin + meant, models: [{ name: 'm' }] });
    await expect(look(`${origin}/v1`)).rejects.toThrow('GET /v1/models returned 404');
  });

  it('every check uses the upstream’s own path, query and headers', async () => {
    const { baseUrl, received } = await engine({
      '/llm/v1/models?t=1': list({ id: 'm', owned_by: 'llamacpp' }),
      '/llm/props?t=1': { json: { default_generation_settings: { n_ctx: 8192 } } },
    });
    const found = await discover({
      baseUrl: `${new URL(baseUrl).origin}/llm/v1?t=1`,
      credential: 'k',
      credentialHeader: 'api-key',
      headers: { 'X-Team': 'a' },
      kind: undefined,
    });
    expect(found).toMatchObject({ kind: 'llamacpp', models: [{ contextLength: 8192 }] });
    expect(received).toHaveLength(2);
    for (const { headers } of received) {
      expect(headers).toMatchObject({ 'api-key': 'k', 'x-team': 'a' });
      expect(headers).not.toHaveProperty('authorization');
    }
  });

  it('uses the configured proxy, and names it if it fails', async () => {
    const { baseUrl } = await engine({ '/v1/models': list({ id: 'm' }) });
    const lines: string[] = [];
    const proxy = createServer((request, response) => {
      lines.push(`${request.method} ${request.url} ${request.headers['proxy-authorization']}`);
      void fetch(request.url ?? '').then(async (reply) => response.end(await reply.text()));
    });
    servers.push(proxy);
    await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));
    const http = `http://me:pw@127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const place = { baseUrl, credential: undefined, kind: 'openai' as const };
    expect(await discover({ ...place, proxies: { http, https: undefined, except: undefined } })).toMatchObject({
      models: [{ name: 'm' }],
    });
    expect(lines).toEqual([`GET ${baseUrl}/models Basic ${Buffer.from('me:pw').toString('base64')}`]);
    const down = { http: 'http://me:pw@127.0.0.1:1', https: undefined, except: 'other' };
    await expect(discover({ ...place, proxies: down })).rejects.toThrow(
      'connection refused (through the proxy http://127.0.0.1:1)',
    );
  });

  it('security 11: redirects are not followed', async () => {
    const target = await engine({ '/v1/models': list({ id: 'm' }) });
    const { baseUrl } = await engine({
      '/v1/models': { status: 302, headers: { location: `${target.baseUrl}/models` } },
    });
    await expect(look(baseUrl)).rejects.toThrow('returned 302');
    expect(target.received).toEqual([]);
  });
});

describe('addresses', () => {
  it('security 11: link-local and metadata addresses are refused in every notation', () => {
    for (const host of [
      '169.254.169.254',
      '2852039166',
      '0xa9fea9fe',
      '169.254.1',
      '[::ffff:169.254.169.254]',
      '[::ffff:a9fe:a9fe]',
      '[64:ff9b::a9fe:a9fe]',
      '[2002:a9fe:a9fe::1]',
      '[fe80::1]',
      '[fd00:ec2::254]',
      '100.100.100.200',
      'metadata.google.internal',
      'metadata.google.internal.',
    ]) {
      expect(() => checkUpstreamUrl(`http://${host}/v1`), host).toThrow(RefusedAddress);
    }
    for (const url of ['file:///etc/passwd', 'gopher://x', 'ftp://x/v1', 'http://user:pw@gpu/v1', 'nonsense']) {
      expect(() => checkUpstreamUrl(url), url).toThrow(RefusedAddress);
    }
  });

  it('security 11: naming a private address is its opt-in', () => {
    for (const host of ['127.0.0.1', '10.0.0.5', '192.168.1.2', '[::1]', '[fd12::1]', '0.0.0.0', 'gpu']) {
      expect(() => checkUpstreamUrl(`http://${host}:8000/v1`), host).not.toThrow();
    }
  });

  it('security 11: a name is resolved once, and the checked address is the one connected to', async () => {
    const addresses = await new Promise((done, fail) =>
      guardedLookup('localhost', { all: true }, (problem, found) => (problem ? fail(problem) : done(found))),
    );
    expect(addresses).toContainEqual({ address: '127.0.0.1', family: 4 });
    expect(isRefused('not an address')).toBe(true);
  });

  it('a key in the query is refused, because a base URL is shown', () => {
    for (const name of ['key', 'api_key', 'api-key', 'apikey', 'x-api-key', 'token', 'access_token', 'sig', 'code'])
      expect(() => checkUpstreamUrl(`http://gpu/v1?a=b&${name}=secret`), name).toThrow('must not contain a key');
    expect(() => checkUpstreamUrl('http://gpu/v1?api-version=1&keyspace=a')).not.toThrow();
  });

  it('a base URL ends in /v1, however it was given', () => {
    for (const given of [
      'http://gpu:8000',
      'http://gpu:8000/',
      'http://gpu:8000/v1/',
      'http://gpu:8000/v1/chat/completions',
    ]) {
      expect(baseUrlOf(given)).toBe('http://gpu:8000/v1');
    }
    expect(baseUrlOf('https://x.test/api')).toBe('https://x.test/api/v1');
  });
});

describe('the upstream of the environment', () => {
  let database: Awaited<ReturnType<typeof testDatabase>>;
  let prisma: PrismaService;
  beforeAll(async () => {
    database = await testDatabase();
    prisma = createPrisma(database.url);
  });
  afterAll(async () => {
    await prisma.$disconnect();
    await database.stop();
  });
  const names = async () =>
    (await prisma.modelUpstream.findMany({ where: { listed: true }, orderBy: { upstreamModel: 'asc' } })).map(
      (m) => m.upstreamModel,
    );

  it('its models appear when it comes up, their settings persist, and it follows the variables', async () => {
    const watch = new UpstreamWatch(prisma, SECRET);
    const id = await syncEnvUpstream(prisma, SECRET, {
      baseUrl: 'http://127.0.0.1:1',
      key: undefined,
      kind: undefined,
    });
    await watch.checkAll();
    expect(watch.problems()).toEqual(['http://127.0.0.1:1: connection refused, retrying every 10 s']);

    const first = await engine({
      '/v1/models': list({ id: 'a/b', owned_by: 'vllm', max_model_len: 4096 }, { id: 'c', owned_by: 'vllm' }),
      '/version': { json: { version: '1' } },
    });
    const given = { baseUrl: first.baseUrl, key: 'sk-secret-upstream-key', kind: undefined };
    expect(await syncEnvUpstream(prisma, SECRET, given)).toBe(id);
    await watch.checkAll();
    expect(watch.problems()).toEqual([]);
    expect(await names()).toEqual(['a/b', 'c']);
    expect(first.received.at(-1)?.headers.authorization).toBe('Bearer sk-secret-upstream-key');
    const row = await prisma.upstream.findUniqueOrThrow({ where: { id: id ?? '' } });
    expect(row).toMatchObject({ kind: 'vllm', kindSource: 'discovered', engineVersion: '1', origin: 'env' });
    expect(row.credential).not.toContain('secret');

    await change(prisma, (tables) =>
      tables.model.updateMany({
        where: { name: 'a/b' },
        data: { strategy: 'prompt', contextLength: 2000, contextSource: 'declared' },
      }),
    );
    const before = await prisma.setting.findUnique({ where: { name: 'directory.version' } });
    await syncEnvUpstream(prisma, SECRET, given);
    await watch.checkAll();
    expect(await prisma.setting.findUnique({ where: { name: 'directory.version' } })).toEqual(before);

    const second = await engine({ '/v1/models': list({ id: 'a/b', max_model_len: 9999 }) });
    await syncEnvUpstream(prisma, SECRET, { ...given, baseUrl: second.baseUrl, kind: 'openai' });
    await watch.checkAll();
    expect(await names()).toEqual(['a/b']);
    expect(await prisma.model.findUnique({ where: { name: 'a/b' } })).toMatchObject({
      strategy: 'prompt',
      contextLength: 2000,
    });
    expect(await prisma.upstream.count()).toBe(1);

    await syncEnvUpstream(prisma, SECRET, undefined);
    expect((await prisma.upstream.findFirstOrThrow()).removedAt).not.toBeNull();
    await syncEnvUpstream(prisma, SECRET, given);
    expect((await prisma.upstream.findFirstOrThrow()).removedAt).toBeNull();
  });

  it('its path, query, headers and timeouts follow the variables, encrypted; the path of its models is kept', async () => {
    const up = await engine({ '/llm/models': list({ id: 'prefixed' }) });
    const given = {
      baseUrl: `${new URL(up.baseUrl).origin}/llm`,
      key: 'sk-secret-upstream-key',
      kind: undefined,
      keyHeader: 'api-key',
      headers: { 'X-Team': 'secret-team' },
      idleTimeoutMs: 20_000,
    };
    const id = (await syncEnvUpstream(prisma, SECRET, given)) ?? '';
    const watch = new UpstreamWatch(prisma, SECRET);
    expect(await watch.check(id)).toMatchObject({ ok: true });
    const row = () => prisma.upstream.findUniqueOrThrow({ where: { id } });
    const before = await row();
    expect(before).toMatchObject({ baseUrl: given.baseUrl, idleTimeoutMs: 20_000, firstByteTimeoutMs: 300_000 });
    expect(JSON.stringify(before)).not.toContain('secret-team');
    expect(up.received.at(-1)?.headers).toMatchObject({ 'api-key': given.key, 'x-team': 'secret-team' });
    await syncEnvUpstream(prisma, SECRET, given);
    expect(await row()).toEqual(before);
    await syncEnvUpstream(prisma, SECRET, { ...given, headers: { 'X-Team': 'other' }, idleTimeoutMs: undefined });
    await watch.check(id);
    expect(await row()).toMatchObject({ idleTimeoutMs: 300_000 });
    expect(up.received.at(-1)?.headers).toMatchObject({ 'x-team': 'other' });
    const audited = await prisma.audit.findMany({ where: { targetId: id } });
    expect(JSON.stringify(audited)).not.toContain('secret-');
  });

  it('two gateways that discover at the same time add each model once', async () => {
    const both = [new UpstreamWatch(prisma, SECRET), new UpstreamWatch(createPrisma(database.url), SECRET)];
    const up = await engine({ '/v1/models': list({ id: 'twice-1' }, { id: 'twice-2' }) });
    const id = await syncEnvUpstream(prisma, SECRET, { baseUrl: up.baseUrl, key: undefined, kind: undefined });
    const looks = await Promise.all([...both, ...both].map((watch) => watch.check(id ?? '')));
    expect(looks.every((state) => state?.ok)).toBe(true);
    expect(await prisma.model.count({ where: { name: { startsWith: 'twice' } } })).toBe(2);
  });
});
