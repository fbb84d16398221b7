import { newId } from '@callsmith/data/ids';
import { PostgresConfigSnapshot } from '@callsmith/data/snapshot';
import { ChooseStrategiesHandler } from '@callsmith/jobs';
import { startSimulator } from '@callsmith/simulator';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { adminKey, startTestGateway, type TestGateway } from '../test-gateway.ts';
import { failedTurn, recordTurns, testTurn } from '../test-turns.ts';

let gateway: TestGateway;
let simulator: Awaited<ReturnType<typeof startSimulator>>;
let model: { id: string; upstreamId: string; engineVersion: string | null };
let secret: string;

beforeAll(async () => {
  simulator = await startSimulator({ models: ['weak-nothing'] });
  gateway = await startTestGateway();
  await asAdmin('POST', '/api/upstreams', { name: 'gpu', baseUrl: simulator.url });
  const { body } = await asAdmin('GET', '/api/models/weak-nothing');
  const [{ upstreamId, engineVersion }] = body.routes;
  model = { id: body.id, upstreamId, engineVersion };
  const key = await asAdmin('POST', '/api/keys', { holder: 'someone', teamId: gateway.teams.own });
  secret = key.body.secret;
});
beforeEach(async () => {
  const { id: modelId } = model;
  await gateway.prisma.$executeRaw`DELETE FROM turn WHERE model_id = ${modelId}`;
  await gateway.prisma.probe.deleteMany({ where: { modelId } });
  await gateway.prisma.strategyChange.deleteMany({ where: { modelId } });
  await asAdmin('DELETE', '/api/models/weak-nothing/learned');
  await asAdmin('PATCH', '/api/models/weak-nothing', { strategy: 'auto', switchWhenUsedUp: null });
  await gateway.prisma.strategyChange.deleteMany({ where: { modelId } });
});
afterAll(async () => {
  await gateway.stop();
  await simulator.close();
});

const asAdmin = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, body?: object) =>
  gateway.send(method, url, { headers: { 'x-admin-key': adminKey }, body });

/** Lets `auto` decide; its choice is in effect afterwards. */
async function choose() {
  await gateway.app.get(ChooseStrategiesHandler, { strict: false }).run();
  await gateway.app.get(PostgresConfigSnapshot, { strict: false }).refresh();
}

/** A hundred requests of three keys, one of four failed. */
async function fail(overrides: Parameters<typeof testTurn>[0] = {}) {
  const { id: modelId, upstreamId, engineVersion } = model;
  const turns = Array.from({ length: 100 }, (_, at) =>
    (at % 4 === 0 ? failedTurn : testTurn)({
      modelId,
      upstreamId,
      engineVersion,
      keyId: `key_${at % 3}`,
      agoMs: 1_000 + at * 1_000,
      ...overrides,
    }),
  );
  await recordTurns(gateway, turns);
}

/** A full probe in which all native calls were right, and this many prompt calls were wrong. */
async function probed(wrong: { readonly native: number; readonly prompt: number }, agoMs = 3_600_000) {
  const arms = [
    { strategy: 'native', dialect: null },
    { strategy: 'prompt', dialect: 'hermes' },
  ];
  const rows = [wrong.native, wrong.prompt].flatMap((many, arm) =>
    Array.from({ length: 115 }, (_, at) => ({
      ...{ arm, key: `1.${at}`, case: 1, streamed: false, wanted: true, right: at >= many, why: null, said: null },
      ...{ calls: 1, valid: true, clean: true, refused: false, inputTokens: 1, outputTokens: 1, firstTokenMs: 1 },
    })),
  );
  const at = new Date(Date.now() - agoMs);
  const { id: modelId, upstreamId, engineVersion } = model;
  const none = { requests: 0, tokens: 0, minutes: 0 };
  await gateway.prisma.probe.create({
    data: {
      ...{ id: newId('probe'), modelId, upstreamId, engineVersion, actor: 'user_1', cause: 'asked', size: 'full' },
      ...{ seed: 's', arms, inEffect: 0, budget: none, spent: none, state: 'done', rows, at, endedAt: at },
    },
  });
}

const tools = [{ type: 'function', function: { name: 'now', parameters: { type: 'object', properties: {} } } }];

/** The strategy of a conversation's next request. */
async function strategyOf(conversation: string): Promise<unknown> {
  const { status, headers } = await gateway.send('POST', '/v1/chat/completions', {
    headers: { authorization: `Bearer ${secret}` },
    body: { model: 'weak-nothing', messages: [{ role: 'user', content: conversation }], tools },
  });
  expect(status).toBe(200);
  return headers['x-callsmith-strategy'];
}

it('auto leaves a failing strategy for one that a probe found better: in new conversations, with the reason', async () => {
  expect(await strategyOf('begun before')).toBe('native');
  await new Promise((done) => setTimeout(done, 1_500));
  await fail();
  await probed({ native: 0, prompt: 1 });
  await choose();
  const { body } = await asAdmin('GET', '/api/models/weak-nothing');
  const why = /2\d of 10\d failed with native, against 1 of 115 of the probe's with prompt with hermes\./;
  expect(body).toMatchObject({
    strategy: { value: 'auto' },
    inEffect: { strategyUsed: 'prompt', why: expect.stringMatching(why) },
    learned: [expect.objectContaining({ what: 'strategy', value: 'prompt:hermes' })],
  });
  expect(await strategyOf('a new one')).toBe('prompt');
  expect(await strategyOf('begun before')).toBe('native');
  const { body: changes } = await asAdmin('GET', '/api/models/weak-nothing/changes');
  expect(changes.items).toEqual([
    expect.objectContaining({ actor: 'auto', fromStrategy: 'native', toStrategy: 'prompt', toDialect: 'hermes' }),
  ]);
  expect(changes.items[0].reason).toMatch(why);
  const { body: audit } = await asAdmin('GET', '/api/audit');
  expect(audit.items).toContainEqual(expect.objectContaining({ action: 'model.auto', actor: 'auto' }));
});

it('what auto chose is recorded as auto, and as the same model', async () => {
  await probed({ native: 60, prompt: 0 });
  await choose();
  await strategyOf('told in the transcript');
  const newest = async () => (await asAdmin('GET', '/api/turns?strategy=prompt')).body.items[0];
  await expect
    .poll(newest, { timeout: 10_000 })
    .toMatchObject({ strategy: 'auto', strategyUsed: 'prompt', fallbackModel: null });
});

it('a choice that an admin undid stays undone, and an older probe decides nothing', async () => {
  await probed({ native: 60, prompt: 0 });
  await choose();
  expect(await strategyOf('one')).toBe('prompt');
  await asAdmin('DELETE', '/api/models/weak-nothing/learned?what=strategy');
  expect(await strategyOf('two')).toBe('native');
  await choose();
  expect(await strategyOf('three')).toBe('native');
});

it('a strategy that an admin set is not changed', async () => {
  await fail();
  await probed({ native: 60, prompt: 0 });
  await asAdmin('PATCH', '/api/models/weak-nothing', { strategy: 'native' });
  await choose();
  await asAdmin('PATCH', '/api/models/weak-nothing', { strategy: 'auto' });
  expect(await strategyOf('one')).toBe('native');
});

it('if nothing is known about another strategy, a probe is started', async () => {
  await fail();
  await choose();
  const probes = await gateway.prisma.probe.findMany({ where: { modelId: model.id } });
  expect(probes).toMatchObject([{ cause: 'doubt', size: 'quick', actor: 'auto' }]);
  await asAdmin('POST', `/api/probes/${probes[0]?.id}/cancel`, {});
});

it('a third change within a day is reported and not made', async () => {
  await fail();
  await probed({ native: 0, prompt: 0 });
  const change = { fromStrategy: 'native', toStrategy: 'prompt', modelId: model.id, actor: 'auto' };
  for (const hours of [3, 2])
    await gateway.prisma.strategyChange.create({
      data: { id: newId('chg'), ...change, at: new Date(Date.now() - hours * 3_600_000) },
    });
  await choose();
  await choose();
  const { body } = await asAdmin('GET', '/api/models/weak-nothing');
  expect(body.inEffect.strategyUsed).toBe('native');
  const why = expect.stringContaining('It moved 2 times in 24 hours and does not move again.');
  expect(body.learned).toContainEqual(expect.objectContaining({ what: 'strategy-doubt', reason: why }));
});

it('an admin’s strategy is left when the failure budget is used up, only if the model is set to switch; forgetting it undoes that', async () => {
  await asAdmin('PATCH', '/api/models/weak-nothing', { strategy: 'native' });
  await gateway.prisma.strategyChange.deleteMany({ where: { modelId: model.id } });
  await fail();
  await probed({ native: 0, prompt: 1 });
  await choose();
  expect(await strategyOf('before')).toBe('native');
  await asAdmin('PATCH', '/api/models/weak-nothing', { switchWhenUsedUp: true });
  await choose();
  const { body } = await asAdmin('GET', '/api/models/weak-nothing');
  const why = /^\d+ of 10\d failed with native and the failure budget is used up, against 1 of 115/;
  expect(body).toMatchObject({
    strategy: { value: 'native', source: 'declared' },
    inEffect: { strategyUsed: 'prompt', why: expect.stringMatching(/^Set to native, and moved: \d+ of/) },
    learned: [
      expect.objectContaining({ what: 'strategy', value: 'prompt:hermes', reason: expect.stringMatching(why) }),
    ],
  });
  expect(await strategyOf('after')).toBe('prompt');
  const { body: audit } = await asAdmin('GET', '/api/audit');
  expect(audit.items[0]).toMatchObject({ action: 'model.auto', actor: 'auto' });
  await asAdmin('DELETE', '/api/models/weak-nothing/learned?what=strategy');
  expect(await strategyOf('undone')).toBe('native');
  const { body: changes } = await asAdmin('GET', '/api/models/weak-nothing/changes');
  expect(changes.items.slice(0, 2)).toEqual([
    expect.objectContaining({ fromStrategy: 'prompt', toStrategy: 'native' }),
    expect.objectContaining({ actor: 'auto', fromStrategy: 'native', toStrategy: 'prompt' }),
  ]);
  await choose();
  expect(await strategyOf('still undone')).toBe('native');
});

it('setting a strategy discards what was chosen in place of the previous setting', async () => {
  await asAdmin('PATCH', '/api/models/weak-nothing', { strategy: 'native', switchWhenUsedUp: true });
  await gateway.prisma.strategyChange.deleteMany({ where: { modelId: model.id } });
  await fail();
  await probed({ native: 0, prompt: 1 });
  await choose();
  expect(await strategyOf('moved')).toBe('prompt');
  await asAdmin('PATCH', '/api/models/weak-nothing', { strategy: 'native' });
  expect(await strategyOf('set again')).toBe('native');
  await asAdmin('PATCH', '/api/models/weak-nothing', { strategy: 'auto', switchWhenUsedUp: null });
});

it('what was chosen does not carry over to another version of the engine', async () => {
  await probed({ native: 60, prompt: 0 });
  await choose();
  expect(await strategyOf('one')).toBe('prompt');
  await gateway.prisma.upstream.update({ where: { id: model.upstreamId }, data: { engineVersion: 'another' } });
  await asAdmin('PATCH', '/api/models/weak-nothing', { toolCallLimit: 100 });
  expect(await strategyOf('two')).toBe('native');
});
