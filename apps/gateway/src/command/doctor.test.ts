import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createNetServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NEEDS_REDIS, testRedis } from '@callsmith/testing';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { adminKey, startTestGateway, type TestGateway } from '../admin/test-gateway.ts';
import { adminClient } from './admin-client.ts';
import { checksText, type DoctorCheck, examineInstallation } from './doctor.ts';
import { gatewayOf } from './gateway.ts';

const root = join(import.meta.dirname, '../../../..');
const folder = mkdtempSync(join(tmpdir(), 'callsmith-doctor-'));
const nobody = () => Promise.reject(new Error('no gateway'));
const secretKey = 'a-secret-of-tests-'.repeat(3);

const look = (env: Record<string, string>, gateway: Parameters<typeof examineInstallation>[0]['gateway'] = nobody) =>
  examineInstallation({ root, env: { DATA_DIR: folder, PORT: '1', ...env }, gateway });
const of = (findings: readonly DoctorCheck[], about: DoctorCheck['about']) =>
  findings.filter((one) => one.about === about);

let test: TestGateway;
let models: Server;
beforeAll(async () => {
  test = await startTestGateway();
  await test.app.listen(0, '127.0.0.1');
  models = createServer((_, reply) => {
    reply.writeHead(200, { 'content-type': 'application/json' });
    reply.end(JSON.stringify({ object: 'list', data: [{ id: 'm', object: 'model' }] }));
  });
  await new Promise<void>((done) => models.listen(0, '127.0.0.1', done));
});
afterAll(async () => {
  models?.close();
  await test?.stop();
});

it('wrong settings are reported as a problem, and nothing else is checked', async () => {
  const findings = await look({ WORKERS: 'many' });
  expect(findings).toMatchObject([
    { about: 'version', state: 'ok', say: expect.stringContaining(process.versions.node) },
    { about: 'settings', state: 'problem', say: expect.stringContaining('WORKERS'), advice: expect.any(String) },
  ]);
  const file = join(folder, 'callsmith.yaml');
  writeFileSync(file, 'version: 3\n');
  expect(of(await look({ CONFIG_FILE: file }), 'settings')).toMatchObject([
    { state: 'problem', say: expect.stringContaining('version must be 1') },
  ]);
});

it('what is missing is reported, with what to do; no password is shown', async () => {
  const url = 'postgresql://callsmith:a-password-of-mine@127.0.0.1:1/callsmith';
  const findings = await look({
    DATABASE_URL: url,
    SECRET_KEY: secretKey,
    REDIS_URL: 'redis://:another-password@127.0.0.1:1',
    PUBLIC_URL: 'http://127.0.0.1:1',
  });
  expect(of(findings, 'database')).toMatchObject([
    { state: 'problem', advice: expect.stringContaining('DATABASE_URL') },
  ]);
  expect(of(findings, 'redis')).toMatchObject([{ state: 'problem', advice: expect.stringContaining('REDIS_URL') }]);
  expect(of(findings, 'gateway')).toMatchObject([{ state: 'warning', advice: expect.stringContaining('npm start') }]);
  expect(of(findings, 'address')).toMatchObject([
    { state: 'warning', say: expect.stringContaining('does not lead to a gateway') },
  ]);
  expect(of(findings, 'disk')).toHaveLength(1);
  const text = checksText(findings);
  expect(text).toMatch(/^PROBLEM database +the database cannot be queried: ECONNREFUSED\n +→ Is it running/m);
  expect(text).not.toMatch(/password-of-mine|another-password/);
});

it('a store that refuses the password is quoted, a gateway that refuses ADMIN_KEY is explained', async () => {
  const url = new URL(test.config.databaseUrl ?? '');
  url.pathname = '/no-such-database';
  const database = of(await look({ DATABASE_URL: url.href, SECRET_KEY: secretKey }), 'database');
  expect(database).toMatchObject([
    { say: 'the database cannot be queried: database "no-such-database" does not exist' },
  ]);

  const refusing = createNetServer((socket) =>
    socket.on('data', () => socket.write('-WRONGPASS invalid password\r\n')),
  );
  await new Promise<void>((done) => refusing.listen(0, '127.0.0.1', done));
  const { port } = refusing.address() as AddressInfo;
  const redis = of(await look({ REDIS_URL: `redis://:wrong@127.0.0.1:${port}` }), 'redis');
  refusing.close();
  expect(redis).toMatchObject([{ say: expect.stringContaining('WRONGPASS') }]);
  const absent = of(await look({ REDIS_URL: 'redis://127.0.0.1:1' }), 'redis');
  expect(absent).toMatchObject([{ say: 'Redis cannot be queried: ECONNREFUSED' }]);

  const env = { CALLSMITH_URL: await test.app.getUrl(), ADMIN_KEY: 'not-the-key-of-this-one' };
  const gateway = () => gatewayOf(root, { DATA_DIR: folder, ...env });
  expect(of(await look(env, gateway), 'upstream')).toMatchObject([
    { state: 'warning', say: 'upstreams could not be listed: the gateway does not accept ADMIN_KEY' },
  ]);
});

it('a database that answers is reported with version and connections; a wrong clock is a problem', async () => {
  const env = { DATABASE_URL: test.config.databaseUrl, SECRET_KEY: secretKey };
  const findings = await look(env);
  expect(of(findings, 'database')).toMatchObject([
    { state: 'ok', say: expect.stringMatching(/^PostgreSQL \d+ responds/) },
  ]);
  expect(of(findings, 'clock')).toMatchObject([{ state: 'ok' }]);
  const now = vi.spyOn(Date, 'now').mockImplementation(() => performance.timeOrigin + performance.now() - 60_000);
  const off = of(await look(env), 'clock');
  now.mockRestore();
  expect(off).toMatchObject([
    { state: 'problem', say: expect.stringMatching(/(?:59|60)\.\d s ahead of that of this machine/) },
  ]);
});

it('each upstream of a running gateway is reported, with what to do about one that does not answer', async () => {
  const url = await test.app.getUrl();
  const client = (await adminClient(url, { adminKey })).client;
  const { port } = models.address() as AddressInfo;
  await client.upstreams.create({ body: { name: 'up', baseUrl: `http://127.0.0.1:${port}` } });
  await client.upstreams.create({ body: { name: 'down', baseUrl: 'http://127.0.0.1:1' } });
  const gateway = async () => ({ url, client, download: () => Promise.reject(new Error('not used')) });
  const findings = await look({ CALLSMITH_URL: url, ADMIN_KEY: adminKey, PUBLIC_URL: url }, gateway);
  expect(of(findings, 'gateway')).toHaveLength(1);
  expect(of(findings, 'address')).toMatchObject([{ state: 'ok' }]);
  const upstreams = of(findings, 'upstream').filter(({ say }) => /^(?:up|down) /.test(say));
  expect(upstreams.toSorted((a, b) => (a.state < b.state ? -1 : 1))).toMatchObject([
    { state: 'ok', say: expect.stringContaining('responds and lists 1 model') },
    { state: 'problem', advice: expect.stringContaining('callsmith upstream test http://127.0.0.1:1/v1') },
  ]);
});

it.skipIf(testRedis() === undefined)(`a Redis is reported with its version (${NEEDS_REDIS})`, async () => {
  expect(of(await look({ REDIS_URL: testRedis() ?? '' }), 'redis')).toMatchObject([
    { state: 'ok', say: expect.stringMatching(/^Redis \d+\.\d+\.\d+ responds$/) },
  ]);
});
