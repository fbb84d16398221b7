import { EndExperimentsHandler } from '@callsmith/jobs';
import { startSimulator } from '@callsmith/simulator';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { adminKey, startTestGateway, type TestGateway } from '../test-gateway.ts';
import { failedTurn, recordTurns, testTurn } from '../test-turns.ts';

let gateway: TestGateway;
let simulator: Awaited<ReturnType<typeof startSimulator>>;
let modelId: string;
let secret: string;

beforeAll(async () => {
  simulator = await startSimulator({ models: ['weak-nothing'] });
  gateway = await startTestGateway();
  await asAdmin('POST', '/api/upstreams', { name: 'gpu', baseUrl: simulator.url });
  modelId = (await asAdmin('GET', '/api/models/weak-nothing')).body.id;
  secret = (await asAdmin('POST', '/api/keys', { holder: 'someone', teamId: gateway.teams.own })).body.secret;
});
afterAll(async () => {
  await gateway.stop();
  await simulator.close();
});

const asAdmin = (method: 'GET' | 'POST' | 'PATCH', url: string, body?: object) =>
  gateway.send(method, url, { headers: { 'x-admin-key': adminKey }, body });
const start = (body: object = {}) =>
  asAdmin('POST', '/api/models/weak-nothing/experiments', { strategy: 'prompt', share: 50, hours: 1, ...body });

const tools = [{ type: 'function', function: { name: 'now', parameters: { type: 'object', properties: {} } } }];

async function strategyOf(conversation: string): Promise<unknown> {
  const { status, headers } = await gateway.send('POST', '/v1/chat/completions', {
    headers: { authorization: `Bearer ${secret}` },
    body: { model: 'weak-nothing', messages: [{ role: 'user', content: conversation }], tools },
  });
  expect(status).toBe(200);
  return headers['x-callsmith-strategy'];
}

/** Conversations on either side of a share of 50 %. */
const conversation = (tried: boolean, at: number) =>
  `${at.toString(16).padStart(20, '0')}${(tried ? 1 : 0xf00000000000).toString(16).padStart(12, '0')}`;

it('a share of new conversations gets the strategy and keeps it; conversations that began before do not', async () => {
  expect(await strategyOf('begun before')).toBe('native');
  await new Promise((done) => setTimeout(done, 1_500));
  const { status, body } = await start({ share: 90 });
  expect(status).toBe(200);
  expect(body).toMatchObject({ state: 'running', strategy: 'prompt', share: 90, result: { better: null } });
  expect((await start()).status).toBe(409);
  const names = Array.from({ length: 20 }, (_, at) => `new ${at}`);
  const strategies = await Promise.all(names.map(strategyOf));
  expect(strategies.filter((strategy) => strategy === 'prompt').length).toBeGreaterThan(12);
  expect(await Promise.all(names.map(strategyOf))).toEqual(strategies);
  expect(await strategyOf('begun before')).toBe('native');
  const undone = await asAdmin('POST', `/api/experiments/${body.id}/undo`, {});
  expect(undone.body).toMatchObject({ state: 'undone' });
  expect(new Set(await Promise.all(names.map(strategyOf)))).toEqual(new Set(['native']));
});

it('is evaluated by its confidence interval when it ends, and then kept or undone', async () => {
  await gateway.prisma.experiment.deleteMany({ where: { modelId } });
  await gateway.prisma.$executeRaw`DELETE FROM turn WHERE model_id = ${modelId}`;
  const { body } = await start({ share: 50 });
  await gateway.prisma.experiment.update({ where: { id: body.id }, data: { at: new Date(Date.now() - 3_600_000) } });
  const turns = Array.from({ length: 120 }, (_, at) =>
    (at % 2 === 0 && at % 3 === 0 ? failedTurn : testTurn)({
      modelId,
      agoMs: 60_000 + at,
      conversation: conversation(at % 2 === 1, at),
    }),
  );
  await recordTurns(gateway, turns);
  const before = await asAdmin('GET', '/api/models/weak-nothing/experiments');
  expect(before.body.items[0]).toMatchObject({ state: 'running', result: { better: true } });
  await gateway.prisma.experiment.update({ where: { id: body.id }, data: { until: new Date() } });
  await gateway.app.get(EndExperimentsHandler, { strict: false }).run();
  await gateway.prisma.$executeRaw`DELETE FROM turn WHERE model_id = ${modelId}`;
  const { body: list } = await asAdmin('GET', '/api/models/weak-nothing/experiments');
  expect(list.items[0]).toMatchObject({
    id: body.id,
    state: 'done',
    result: {
      tried: { n: 60, value: 0 },
      others: { n: 60 },
      better: true,
      sentence: expect.stringMatching(
        /^0 of 60 requests with calls failed with prompt, 20 of 60 without it: clearly better/,
      ),
    },
  });
  const kept = await asAdmin('POST', `/api/experiments/${body.id}/keep`, {});
  expect(kept.body).toMatchObject({ state: 'kept' });
  expect((await asAdmin('POST', `/api/experiments/${body.id}/keep`, {})).status).toBe(409);
  expect((await asAdmin('GET', '/api/models/weak-nothing')).body.strategy.value).toBe('prompt');
  const { body: changes } = await asAdmin('GET', '/api/models/weak-nothing/changes');
  expect(changes.items[0].reason).toMatch(/^Experiment: 0 of 60/);
  await asAdmin('POST', `/api/experiments/${body.id}/undo`, {});
  expect((await asAdmin('GET', '/api/models/weak-nothing')).body.strategy.value).toBe('auto');
});

it('refuses unknown members by name', async () => {
  expect(
    (await asAdmin('POST', '/api/models/none/experiments', { strategy: 'prompt', share: 1, hours: 1 })).status,
  ).toBe(404);
  expect(await start({ share: 100 })).toMatchObject({ status: 400, body: { error: { param: 'share' } } });
  expect(await start({ dialect: 'klingon' })).toMatchObject({ status: 400, body: { error: { param: 'dialect' } } });
  expect((await asAdmin('POST', '/api/experiments/exper_none/undo', {})).status).toBe(404);
});
