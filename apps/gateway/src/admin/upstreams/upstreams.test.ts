import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startSimulator } from '@callsmith/simulator';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ProxyService } from '../../proxy/request/proxy.service.ts';
import { adminKey, startTestGateway, type TestGateway } from '../test-gateway.ts';

let gateway: TestGateway;
let simulator: Awaited<ReturnType<typeof startSimulator>>;
beforeAll(async () => {
  simulator = await startSimulator({ models: ['sim-native', 'sim-small'] });
  gateway = await startTestGateway();
});
afterAll(async () => {
  await gateway.stop();
  await simulator.close();
});

const asAdmin = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, body?: object) =>
  gateway.send(method, url, { as: gateway.cookies.admin, body });

it('security 12: a test shows models, kind and time, and nothing of a response that is not a model server’s', async () => {
  const good = await asAdmin('POST', '/api/upstreams/test', { baseUrl: simulator.url });
  expect(good.body).toMatchObject({
    ok: true,
    kind: 'vllm',
    models: [{ name: 'sim-native' }, { name: 'sim-small', contextLength: 2048 }],
  });
  const elsewhere = await asAdmin('POST', '/api/upstreams/test', { baseUrl: `${simulator.url}/health` });
  expect(elsewhere.body).toMatchObject({ ok: false, models: [] });
  const down = await asAdmin('POST', '/api/upstreams/test', { baseUrl: 'http://127.0.0.1:9' });
  expect(down.body).toMatchObject({ ok: false, say: expect.stringContaining('connection refused') });
});

it.each(['http://169.254.169.254/v1', 'http://[fe80::1]/v1', 'file:///etc/passwd', 'http://metadata.google.internal'])(
  'security 12: %s is refused by both test and save',
  async (baseUrl) => {
    const tested = await asAdmin('POST', '/api/upstreams/test', { baseUrl });
    const saved = await asAdmin('POST', '/api/upstreams', { name: 'bad', baseUrl });
    expect([tested.status, saved.status]).toEqual([400, 400]);
    expect(tested.body.error).toMatchObject({ code: 'upstream_address_refused', param: 'baseUrl' });
    expect(saved.body).toEqual(tested.body);
  },
);

it('saving discovers its models; its key is encrypted and never shown', async () => {
  const { status, body } = await asAdmin('POST', '/api/upstreams', {
    name: 'gpu',
    baseUrl: `${simulator.url}/`,
    credential: 'upstream-secret',
  });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    name: 'gpu',
    baseUrl: `${simulator.url}/v1`,
    kind: { value: 'vllm', source: 'discovered' },
    hasCredential: true,
    models: ['sim-native', 'sim-small'],
    health: { ok: true },
  });
  expect(JSON.stringify(body)).not.toContain('upstream-secret');
  expect(JSON.stringify(await gateway.prisma.upstream.findMany())).not.toContain('upstream-secret');
  expect(JSON.stringify(await gateway.prisma.audit.findMany())).not.toContain('upstream-secret');
  const models = await asAdmin('GET', '/api/models');
  const own = models.body.items.filter(({ demo }: { demo: boolean }) => !demo);
  expect(own.map(({ name }: { name: string }) => name)).toEqual(['sim-native', 'sim-small']);
});

it('a change keeps what it does not name, and a new address requires the key again', async () => {
  const { body: listed } = await asAdmin('GET', '/api/upstreams');
  const { id } = listed.items.find(({ name }: { name: string }) => name === 'gpu');
  const changed = await asAdmin('PATCH', `/api/upstreams/${id}`, { idleTimeoutMs: 60_000 });
  expect(changed.body).toMatchObject({ idleTimeoutMs: 60_000, hasCredential: true, connectTimeoutMs: 10_000 });
  const moved = await asAdmin('PATCH', `/api/upstreams/${id}`, { baseUrl: 'http://127.0.0.1:9' });
  expect([moved.status, moved.body.error.param]).toEqual([400, 'credential']);
  const taken = await asAdmin('POST', '/api/upstreams', { name: 'gpu', baseUrl: simulator.url });
  expect([taken.status, taken.body.error.param]).toEqual([409, 'name']);
});

it('a path, a query, headers and the key’s header are kept; values are encrypted, shown masked, and kept when the mask is sent back', async () => {
  const received: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    received.push(request);
    const found = request.url === '/openai/deployments/d/models?api-version=1';
    response.writeHead(found ? 200 : 404).end(JSON.stringify({ data: [{ id: 'azure-model' }] }));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/openai/deployments/d?api-version=1`;
  const given = {
    name: 'azure',
    baseUrl,
    credential: 'planted-key-value',
    credentialHeader: 'api-key',
    headers: { 'X-Team': 'planted-header-value', 'HTTP-Referer': 'https://a.example' },
  };
  const saved = await asAdmin('POST', '/api/upstreams', given);
  expect(saved.body).toMatchObject({
    baseUrl,
    credentialHeader: 'api-key',
    credentialScheme: null,
    headers: { 'X-Team': '••••', 'HTTP-Referer': '••••' },
    models: ['azure-model'],
  });
  expect(received[0]?.headers).toMatchObject({ 'api-key': 'planted-key-value', 'x-team': 'planted-header-value' });
  const { id } = saved.body;
  const changed = await asAdmin('PATCH', `/api/upstreams/${id}`, {
    headers: { 'x-team': '••••', 'X-New': 'planted-second-value' },
  });
  expect(changed.body.headers).toEqual({ 'x-team': '••••', 'X-New': '••••' });
  expect(received.at(-1)?.headers).toMatchObject({ 'x-team': 'planted-header-value', 'x-new': 'planted-second-value' });
  const tested = await asAdmin('POST', '/api/upstreams/test', {
    id,
    baseUrl,
    credentialHeader: 'api-key',
    headers: changed.body.headers,
  });
  expect(tested.body).toMatchObject({ ok: true, models: [{ name: 'azure-model' }] });
  expect(received.at(-1)?.headers).toMatchObject({ 'api-key': 'planted-key-value', 'x-new': 'planted-second-value' });

  // A value that was given for one address is not sent to another.
  const elsewhere = { baseUrl: `${simulator.url}/v1`, credential: 'k' };
  const moved = await asAdmin('PATCH', `/api/upstreams/${id}`, elsewhere);
  expect([moved.status, moved.body.error.param]).toEqual([400, 'headers']);
  const masked = await asAdmin('PATCH', `/api/upstreams/${id}`, { ...elsewhere, headers: { 'x-team': '••••' } });
  expect([masked.status, masked.body.error.param]).toEqual([400, 'headers']);
  const testedThere = { ...elsewhere, id, headers: { 'x-team': '••••' } };
  expect((await asAdmin('POST', '/api/upstreams/test', testedThere)).status).toBe(400);

  const audit = await gateway.prisma.audit.findMany({ where: { targetId: id }, orderBy: { at: 'asc' } });
  expect(audit.map(({ after }) => after)).toMatchObject([
    { credentialHeader: 'api-key', headers: ['X-Team', 'HTTP-Referer'] },
    { headers: ['x-team', 'X-New'] },
  ]);
  const stored = JSON.stringify([await gateway.prisma.upstream.findMany(), await gateway.prisma.audit.findMany()]);
  expect(stored).not.toContain('planted-');
  expect(JSON.stringify([saved.body, changed.body, tested.body])).not.toContain('planted-');
  await asAdmin('DELETE', `/api/upstreams/${id}`);
  server.close();
});

it.each([
  [{ headers: { 'Content-Length': '1' } }, 'headers', 'is set by Callsmith itself'],
  [{ headers: { 'X-A': 'b\r\nHost: c' } }, 'headers', 'whose value must'],
  [{ headers: { 'X-A': '1', 'x-a': '2' } }, 'headers', 'occurs twice'],
  [{ headers: { 'X-A': '••••' } }, 'headers', 'without a value, and none is stored'],
  [{ headers: { Authorization: 'x' }, credential: 'k' }, 'headers', 'is also the header of the API key'],
  [{ credentialHeader: 'transfer-encoding' }, 'credentialHeader', 'is set by Callsmith itself'],
  [{ credentialScheme: 'a b' }, 'credentialScheme', 'must be one word'],
  [{ baseUrl: 'http://gpu/v1?api_key=abc' }, 'baseUrl', 'must not contain a key (api_key)'],
])('%j is refused by name', async (given, param, message) => {
  const { status, body } = await asAdmin('POST', '/api/upstreams', { name: 'odd', baseUrl: simulator.url, ...given });
  expect([status, body.error.param]).toEqual([400, param]);
  expect(body.error.message).toContain(message);
});

it('a removed upstream is gone, its name can be reused, its history stays', async () => {
  const { body: listed } = await asAdmin('GET', '/api/upstreams');
  const { id } = listed.items.find(({ name }: { name: string }) => name === 'gpu');
  expect((await asAdmin('GET', `/api/upstreams/${id}/health`)).body.items.length).toBeGreaterThan(0);
  expect((await asAdmin('DELETE', `/api/upstreams/${id}`)).status).toBe(200);
  expect((await asAdmin('GET', `/api/upstreams/${id}/health`)).status).toBe(404);
  const again = await asAdmin('POST', '/api/upstreams', { name: 'gpu', baseUrl: simulator.url });
  expect(again.body).toMatchObject({ name: 'gpu', hasCredential: false });
  expect(await gateway.prisma.upstream.count({ where: { id } })).toBe(1);
});

it('the demo’s upstream cannot be edited', async () => {
  const demo = await gateway.prisma.upstream.findFirstOrThrow({ where: { origin: 'demo' } });
  expect((await asAdmin('PATCH', `/api/upstreams/${demo.id}`, { name: 'mine' })).status).toBe(409);
});

it('D-38 a model that is out of rotation is shown with its upstream, in the model’s routes and in the metrics', async () => {
  const made = await asAdmin('POST', '/api/upstreams', { name: 'two models', baseUrl: simulator.url });
  const { breaker } = gateway.app.get(ProxyService);
  for (let n = 0; n < 5; n++) breaker.report({ upstreamId: made.body.id, model: 'sim-small' }, 'model');
  const discoveredState = async () =>
    (await asAdmin('GET', '/api/upstreams')).body.items.find(({ id }: { id: string }) => id === made.body.id)
      .outOfRotation;
  const routeOf = async (model: string) =>
    (await asAdmin('GET', `/api/models/${model}`)).body.routes.find(
      ({ upstreamId }: { upstreamId: string }) => upstreamId === made.body.id,
    ).outOfRotation;
  expect(await discoveredState()).toEqual({ upstream: false, models: ['sim-small'] });
  expect([await routeOf('sim-small'), await routeOf('sim-native')]).toEqual(['model', null]);
  const metrics = await gateway.send('GET', '/metrics', { headers: { 'x-admin-key': adminKey } });
  expect(metrics.body).toContain('callsmith_model_open{upstream="two models",model="sim-small"} 1');
  for (let n = 0; n < 5; n++) breaker.report({ upstreamId: made.body.id, model: 'sim-native' }, 'upstream');
  expect([(await discoveredState()).upstream, await routeOf('sim-native')]).toEqual([true, 'upstream']);
  breaker.report({ upstreamId: made.body.id, model: 'sim-small' }, 'answered');
  expect(await discoveredState()).toEqual({ upstream: false, models: [] });
});
