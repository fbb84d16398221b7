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

it('security 12: a test shows models, kind and time, and nothing of a reply that is not a model server’s', async () => {
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
  'security 12: %s is refused by test and save alike',
  async (baseUrl) => {
    const tested = await asAdmin('POST', '/api/upstreams/test', { baseUrl });
    const saved = await asAdmin('POST', '/api/upstreams', { name: 'bad', baseUrl });
    expect([tested.status, saved.status]).toEqual([400, 400]);
    expect(tested.body.error).toMatchObject({ code: 'upstream_address_refused', param: 'baseUrl' });
    expect(saved.body).toEqual(tested.body);
  },
);

it('saving discovers its models; its key is sealed and never shown', async () => {
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
  expect(models.body.items.map(({ name }: { name: string }) => name)).toEqual(['sim-native', 'sim-small']);
});

it('a change keeps what it does not name, and a new address asks for the key again', async () => {
  const { body: listed } = await asAdmin('GET', '/api/upstreams');
  const { id } = listed.items.find(({ name }: { name: string }) => name === 'gpu');
  const changed = await asAdmin('PATCH', `/api/upstreams/${id}`, { idleTimeoutMs: 60_000 });
  expect(changed.body).toMatchObject({ idleTimeoutMs: 60_000, hasCredential: true, connectTimeoutMs: 10_000 });
  const moved = await asAdmin('PATCH', `/api/upstreams/${id}`, { baseUrl: 'http://127.0.0.1:9' });
  expect([moved.status, moved.body.error.param]).toEqual([400, 'credential']);
  const taken = await asAdmin('POST', '/api/upstreams', { name: 'gpu', baseUrl: simulator.url });
  expect([taken.status, taken.body.error.param]).toEqual([409, 'name']);
});

it('what is removed is gone, its name is free, its history stays', async () => {
  const { body: listed } = await asAdmin('GET', '/api/upstreams');
  const { id } = listed.items.find(({ name }: { name: string }) => name === 'gpu');
  expect((await asAdmin('GET', `/api/upstreams/${id}/health`)).body.items.length).toBeGreaterThan(0);
  expect((await asAdmin('DELETE', `/api/upstreams/${id}`)).status).toBe(200);
  expect((await asAdmin('GET', `/api/upstreams/${id}/health`)).status).toBe(404);
  const again = await asAdmin('POST', '/api/upstreams', { name: 'gpu', baseUrl: simulator.url });
  expect(again.body).toMatchObject({ name: 'gpu', hasCredential: false });
  expect(await gateway.prisma.upstream.count({ where: { id } })).toBe(1);
});

it('the demo’s upstream is not edited', async () => {
  const demo = await gateway.prisma.upstream.findFirstOrThrow({ where: { origin: 'demo' } });
  expect((await asAdmin('PATCH', `/api/upstreams/${demo.id}`, { name: 'mine' })).status).toBe(409);
});

it('D-38 a model that is out of rotation is shown with its upstream, in the model’s routes and in the metrics', async () => {
  const made = await asAdmin('POST', '/api/upstreams', { name: 'two models', baseUrl: simulator.url });
  const { breaker } = gateway.app.get(ProxyService);
  for (let n = 0; n < 5; n++) breaker.report({ upstreamId: made.body.id, model: 'sim-small' }, 'model');
  const here = async () =>
    (await asAdmin('GET', '/api/upstreams')).body.items.find(({ id }: { id: string }) => id === made.body.id)
      .outOfRotation;
  const routeOf = async (model: string) =>
    (await asAdmin('GET', `/api/models/${model}`)).body.routes.find(
      ({ upstreamId }: { upstreamId: string }) => upstreamId === made.body.id,
    ).outOfRotation;
  expect(await here()).toEqual({ upstream: false, models: ['sim-small'] });
  expect([await routeOf('sim-small'), await routeOf('sim-native')]).toEqual(['model', null]);
  const metrics = await gateway.send('GET', '/metrics', { headers: { 'x-admin-key': adminKey } });
  expect(metrics.body).toContain('callsmith_model_open{upstream="two models",model="sim-small"} 1');
  for (let n = 0; n < 5; n++) breaker.report({ upstreamId: made.body.id, model: 'sim-native' }, 'upstream');
  expect([(await here()).upstream, await routeOf('sim-native')]).toEqual([true, 'upstream']);
  breaker.report({ upstreamId: made.body.id, model: 'sim-small' }, 'answered');
  expect(await here()).toEqual({ upstream: false, models: [] });
});
