import { hashKey } from '@callsmith/data/secrets';
import { PostgresConfigSnapshot } from '@callsmith/data/snapshot';
import { startSimulator } from '@callsmith/simulator';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../admin/test-gateway.ts';
import { Demo } from './demo.ts';
import { demoModels } from './tasks.ts';

let gateway: TestGateway;
let simulator: Awaited<ReturnType<typeof startSimulator>>;
const key = 'sk-demo-key-of-tests-0123';

beforeAll(async () => {
  simulator = await startSimulator({ models: [...demoModels] });
  gateway = await startTestGateway();
  const { prisma } = gateway;
  const hash = hashKey(gateway.config.secretKey, key);
  await prisma.apiKey.updateMany({ where: { kind: 'demo' }, data: { hash } });
  await prisma.upstream.updateMany({ where: { origin: 'demo' }, data: { baseUrl: `${simulator.url}/v1` } });
  await gateway.app.get(PostgresConfigSnapshot, { strict: false }).refresh();
  await gateway.app.listen(0, '127.0.0.1');
});
afterAll(async () => {
  await gateway.stop();
  await simulator.close();
});

const asAdmin = (method: 'GET' | 'POST' | 'DELETE', url: string, body?: object) =>
  gateway.send(method, url, { as: gateway.cookies.admin, body });

async function until<T>(look: () => Promise<T>, good: (found: T) => boolean): Promise<T> {
  for (let n = 0; ; n++) {
    const found = await look();
    if (good(found) || n > 100) return found;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

it('shows real turns in the charts while someone watches', async () => {
  const { port } = gateway.app.getHttpServer().address() as { port: number };
  gateway.app.get(Demo, { strict: false }).begin({ url: `http://127.0.0.1:${port}`, key }, false);
  const { body } = await asAdmin('POST', '/api/demo/turns', { on: true });
  expect(body).toEqual({ running: true, until: expect.any(String) });
  const overview = await until(
    async () => (await asAdmin('GET', '/api/stats/overview')).body,
    ({ totals }) => totals.turns >= 4,
  );
  const { clean, repaired, failed } = overview.totals;
  expect(clean + repaired + failed).toBeGreaterThanOrEqual(4);
  expect(clean).toBeGreaterThanOrEqual(1);
  expect(repaired).toBeGreaterThanOrEqual(1);
  const turns = await asAdmin('GET', '/api/turns');
  expect(turns.body.items[0]).toMatchObject({ team: 'demo', client: 'demo', status: 200 });
  expect((await asAdmin('POST', '/api/demo/turns', { on: false })).body).toEqual({ running: false, until: null });
}, 30_000);

it('the first request to a real model, not adding its upstream, ends it; its data can still be removed', async () => {
  const added = await asAdmin('POST', '/api/upstreams', { name: 'real', baseUrl: `${simulator.url}/v1` });
  expect(added.status).toBe(200);
  const routes = [{ upstreamId: added.body.id, upstreamModel: demoModels[0] }];
  expect((await asAdmin('POST', '/api/models', { name: 'my-model', routes })).status).toBe(200);
  const installation = async () => (await asAdmin('GET', '/api/session')).body.installation;
  expect(await installation()).toMatchObject({ demo: true, demoOnly: true });
  expect((await asAdmin('POST', '/api/demo/turns', { on: true })).body.running).toBe(true);
  const made = await asAdmin('POST', '/api/keys', { teamId: gateway.teams.own, holder: 'Ann' });
  const ask = (model: string) =>
    gateway.send('POST', '/v1/chat/completions', {
      headers: { authorization: `Bearer ${made.body.secret}` },
      body: { model, messages: [{ role: 'user', content: 'hello' }] },
    });
  expect((await ask('demo-native')).status).toBe(200);
  expect(await installation()).toMatchObject({ demoOnly: true });
  expect((await ask('my-model')).status).toBe(200);
  expect(await until(installation, ({ demoOnly }) => !demoOnly)).toMatchObject({ demo: true, demoOnly: false });
  expect((await ask('demo-native')).status).toBe(404);
});

it('removing it deletes its turns, key, team and models', async () => {
  expect((await asAdmin('DELETE', '/api/demo')).status).toBe(200);
  const namesOf = async (path: string) =>
    (await asAdmin('GET', path)).body.items.map(({ name }: { name: string }) => name);
  expect((await asAdmin('GET', '/api/turns')).body.items.every(({ key }: { key: string }) => key === 'Ann')).toBe(true);
  expect(await namesOf('/api/models')).not.toContain('demo-native');
  expect(await namesOf('/api/upstreams')).toEqual(['real']);
  expect(JSON.stringify((await asAdmin('GET', '/api/teams')).body)).not.toContain('"demo":true');
  const refused = await gateway.send('GET', '/v1/models', { headers: { authorization: `Bearer ${key}` } });
  expect(refused.status).toBe(401);
  expect((await asAdmin('GET', '/api/session')).body.installation).toMatchObject({ demo: false, demoOnly: false });
  expect((await asAdmin('POST', '/api/demo/turns', { on: true })).body.running).toBe(false);
  const audited = await asAdmin('GET', '/api/audit?targetKind=demo');
  expect(audited.body.items).toEqual([
    expect.objectContaining({ action: 'demo.remove', actor: 'admin@callsmith.local' }),
  ]);
});
