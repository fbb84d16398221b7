import { UpstreamWatch } from '@callsmith/data/upstreams';
import { startSimulator } from '@callsmith/simulator';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../test-gateway.ts';

let gateway: TestGateway;
let simulator: Awaited<ReturnType<typeof startSimulator>>;
let upstreams: string[];
let secret: string;

beforeAll(async () => {
  simulator = await startSimulator({ models: ['sim-native', 'sim-small'] });
  gateway = await startTestGateway({ DEMO: 'on' });
  const add = async (name: string) =>
    (await asAdmin('POST', '/api/upstreams', { name, baseUrl: `${simulator.url}/v1` })).body.id as string;
  upstreams = [await add('one'), await add('two')];
  const issued = await asAdmin('POST', '/api/keys', { teamId: gateway.teams.own, holder: 'Ann' });
  secret = issued.body.secret;
});
afterAll(async () => {
  await gateway.stop();
  await simulator.close();
});

const asAdmin = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, body?: object) =>
  gateway.send(method, url, { as: gateway.cookies.admin, body });
const chat = (model: string) =>
  gateway.send('POST', '/v1/chat/completions', {
    headers: { authorization: `Bearer ${secret}` },
    body: { model, messages: [{ role: 'user', content: 'Hello' }] },
  });
const discover = async () => {
  for (const id of upstreams) await gateway.app.get(UpstreamWatch, { strict: false }).check(id);
};

it('a model by hand: a name with slashes, aliases, upstreams in order with weights', async () => {
  const added = await asAdmin('POST', '/api/models', {
    name: 'our/team/coder',
    aliases: ['coder:latest'],
    routes: [
      { upstreamId: upstreams[1], upstreamModel: 'sim-native', weight: 3 },
      { upstreamId: upstreams[0], upstreamModel: 'sim-native' },
    ],
    contextLength: 32_000,
  });
  expect(added.body).toMatchObject({
    name: 'our/team/coder',
    aliases: ['coder:latest'],
    contextLength: { value: 32_000, source: 'declared' },
    strategy: { value: 'auto' },
    routes: [
      { upstream: 'two', upstreamModel: 'sim-native', weight: 3, source: 'declared' },
      { upstream: 'one', upstreamModel: 'sim-native', weight: 1, source: 'declared' },
    ],
  });
  expect((await chat('our/team/coder')).status).toBe(200);
  expect((await chat('coder:latest')).status).toBe(200);
  expect((await asAdmin('GET', `/api/models/${encodeURIComponent('our/team/coder')}`)).status).toBe(200);
  const { body } = await asAdmin('GET', '/api/audit?targetKind=model');
  expect(body.items[0]).toMatchObject({
    action: 'model.add',
    after: { name: 'our/team/coder', routes: [{ weight: 3 }, {}] },
  });
});

it('discovery does not change it, and keeps offering what the upstream lists under its own name', async () => {
  await discover();
  const names = (await asAdmin('GET', '/api/models')).body.items.map(({ name }: { name: string }) => name);
  expect(names).toEqual(expect.arrayContaining(['our/team/coder', 'sim-native', 'sim-small']));
});

it('routes are replaced as a whole; a route removed from a discovered model stays removed', async () => {
  const changed = await asAdmin('PATCH', '/api/models/sim-small', {
    routes: [{ upstreamId: upstreams[0], weight: 2 }],
  });
  expect(changed.body.routes).toMatchObject([{ upstream: 'one', upstreamModel: 'sim-small', weight: 2 }]);
  await discover();
  expect((await asAdmin('GET', '/api/models/sim-small')).body.routes).toHaveLength(1);
});

it('invalid values are reported by field', async () => {
  const routes = [{ upstreamId: upstreams[0] }];
  const demo = await gateway.prisma.upstream.findFirstOrThrow({ where: { origin: 'demo' } });
  for (const [body, param] of [
    [{ name: 'sim-native', routes }, 'name'],
    [{ name: 'coder:latest', routes }, 'name'],
    [{ name: 'x', aliases: ['sim-small'], routes }, 'aliases[0]'],
    [{ name: 'x', aliases: ['x'], routes }, 'aliases[0]'],
    [{ name: 'x', routes: [] }, 'routes'],
    [{ name: 'x', routes: [{ upstreamId: 'up_nowhere' }] }, 'routes[0].upstreamId'],
    [{ name: 'x', routes: [...routes, ...routes] }, 'routes[1].upstreamId'],
    [{ name: 'x', routes: [{ upstreamId: demo.id }] }, 'routes[0].upstreamId'],
    [{ name: 'x\ny', routes }, 'name'],
    [{ name: '  ', routes }, 'name'],
  ] as const) {
    const { status, body: answer } = await asAdmin('POST', '/api/models', body);
    expect([status >= 400, answer.error?.param]).toEqual([true, param]);
  }
});

it('once removed, it is unknown and discovery does not restore it; adding it by hand restores its history', async () => {
  const { id } = (await asAdmin('GET', '/api/models/sim-native')).body;
  expect((await asAdmin('DELETE', '/api/models/sim-native')).status).toBe(200);
  await discover();
  expect((await chat('sim-native')).status).toBe(404);
  expect((await asAdmin('DELETE', '/api/models/sim-native')).status).toBe(404);
  const again = await asAdmin('POST', '/api/models', { name: 'sim-native', routes: [{ upstreamId: upstreams[0] }] });
  expect(again.body.id).toBe(id);
  expect((await chat('sim-native')).status).toBe(200);
  expect((await asAdmin('DELETE', '/api/models/demo-native')).body.error.code).toBe('conflict');
});

it('an upstream that is added later restores a removed model', async () => {
  await asAdmin('DELETE', '/api/models/sim-small');
  await discover();
  expect((await chat('sim-small')).status).toBe(404);
  await asAdmin('POST', '/api/upstreams', { name: 'three', baseUrl: `${simulator.url}/v1` });
  expect((await chat('sim-small')).status).toBe(200);
});

it('bytes to buffer: set, never streamed early, and back to the default', async () => {
  const hold = async (holdBytes: unknown) =>
    (await asAdmin('PATCH', '/api/models/sim-small', { holdBytes } as object)).body.holdBytes;
  expect(await hold(0)).toEqual({ value: 0, source: 'declared' });
  expect(await hold(null)).toEqual({ value: null, source: 'declared' });
  expect(await hold('default')).toEqual({ value: 1024, source: 'default' });
});

it('A-3: capabilities are declared, each with its source; declared tools decide what auto does', async () => {
  const declare = async (capabilities: object) =>
    (await asAdmin('PATCH', '/api/models/our%2Fteam%2Fcoder', { capabilities })).body;
  expect((await asAdmin('GET', '/api/models/our%2Fteam%2Fcoder')).body.capabilities).toEqual({
    tools: null,
    parallel: null,
    strict: null,
  });
  const declared = await declare({ tools: false, parallel: true });
  expect(declared.capabilities).toEqual({
    tools: { value: false, source: 'declared' },
    parallel: { value: true, source: 'declared' },
    strict: null,
  });
  expect(declared.inEffect).toEqual({ strategyUsed: 'prompt', why: 'auto: declared as not supporting tools.' });
  const tools = [{ type: 'function', function: { name: 'read_file', parameters: { type: 'object' } } }];
  const response = await gateway.send('POST', '/v1/chat/completions', {
    headers: { authorization: `Bearer ${secret}` },
    body: { model: 'our/team/coder', messages: [{ role: 'user', content: 'Read a file' }], tools },
  });
  expect(response.headers['x-callsmith-strategy']).toBe('prompt');
  const back = await declare({ tools: null });
  expect([back.capabilities.tools, back.capabilities.parallel?.value]).toEqual([null, true]);
  expect(back.inEffect.strategyUsed).toBe('native');
});
