import { newId } from '@callsmith/data/ids';
import { LIMIT_STORE, type LimitStore, windowBegin } from '@callsmith/data/limits';
import { PostgresConfigSnapshot } from '@callsmith/data/snapshot';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../test-gateway.ts';
import { failedTurn, recordTurns, testTurn } from '../test-turns.ts';

let gateway: TestGateway;
let modelId: string;
let keyId: string;

beforeAll(async () => {
  gateway = await startTestGateway();
  modelId = (await gateway.prisma.model.findUniqueOrThrow({ where: { name: 'demo-native' } })).id;
  keyId = newId('key');
  await gateway.prisma.apiKey.create({
    data: { id: keyId, teamId: gateway.teams.own, holder: 'Ann', hash: 'h', hint: '…1234' },
  });
  const mine = { teamId: gateway.teams.own, modelId, keyId };
  const times = <T>(n: number, make: (at: number) => T) => Array.from({ length: n }, (_, at) => make(at));
  await recordTurns(gateway, [
    ...times(30, (n) => testTurn({ ...mine, agoMs: 600_000 + n })),
    ...times(10, (n) => failedTurn({ ...mine, agoMs: 300_000 + n })),
    ...times(40, (n) => testTurn({ ...mine, agoMs: 240_000 + n, strategyUsed: 'prompt', injectedTokens: 200 })),
    ...times(2, (n) => testTurn({ ...mine, agoMs: 200_000 + n, outcome: 'none' })),
    ...times(5, (n) => failedTurn({ ...mine, agoMs: 150_000 + n, teamId: gateway.teams.other })),
    testTurn({
      teamId: null,
      outcome: null,
      status: 401,
      errorOrigin: 'client',
      errorCode: 'invalid_api_key',
      agoMs: 100_000,
    }),
  ]);
});
afterAll(() => gateway.stop());

describe('overview', () => {
  it('counts what is recorded, only of the own team', async () => {
    const { status, body } = await gateway.send('GET', '/api/stats/overview', { as: gateway.cookies.viewer });
    expect(status).toBe(200);
    expect(body.totals).toEqual({ clean: 70, repaired: 0, invalid: 0, failed: 10, none: 2, turns: 82, errors: 0 });
    expect(body.tiles.failed.value).toBeCloseTo(0.125);
    expect(body.tiles.failed.before).toBeNull();
    expect(body.classes).toEqual([{ class: 'InvalidJson', count: 10 }]);
    expect(body.failingModels).toEqual([
      expect.objectContaining({
        model: 'demo-native',
        demo: true,
        malformed: 0.125,
        topClass: 'InvalidJson',
        lastFailedAt: expect.any(String),
      }),
    ]);
    const all = await gateway.send('GET', '/api/stats/overview', { as: gateway.cookies.admin });
    expect(all.body.totals).toMatchObject({ failed: 15, turns: 88, errors: 1 });
  });

  it('has a point for every step, and they add up', async () => {
    const { body } = await gateway.send('GET', '/api/stats/overview', { as: gateway.cookies.viewer });
    const gaps = body.series
      .slice(1)
      .map((point: { at: string }, at: number) => +new Date(point.at) - +new Date(body.series[at].at));
    expect(new Set(gaps)).toEqual(new Set([body.step * 1000]));
    const failed = body.series.reduce(
      (sum: number, { counts }: { counts: { failed: number } }) => sum + counts.failed,
      0,
    );
    expect(failed).toBe(10);
    expect(body.byModel).toHaveLength(1);
    expect(body.byModel[0].points).toHaveLength(body.series.length);
    expect(Math.max(...body.byModel[0].points.map(({ n }: { n: number }) => n))).toBeGreaterThan(0);
    expect(body.tiles.failed.spark).toHaveLength(body.series.length);
  });

  it('lists the models with the highest failed rate, however few calls they had, or in another order', async () => {
    const { prisma, teams } = gateway;
    const [client, agoMs] = ['many-models', 3_600_000];
    const many = Array.from({ length: 26 }, (_, n) => ({
      id: `model_many_${n}`,
      name: `many-${String(n).padStart(2, '0')}`,
    }));
    await prisma.model.createMany({ data: many });
    await recordTurns(gateway, [
      ...many.flatMap(({ id }, n) =>
        Array.from({ length: 2 + n }, () => testTurn({ teamId: teams.other, modelId: id, client, agoMs })),
      ),
      ...[3, 0].flatMap((n) =>
        Array.from({ length: 4 - n }, () =>
          failedTurn({ teamId: teams.other, modelId: `model_many_${n}`, client, agoMs }),
        ),
      ),
    ]);
    const listed = async (order: string) => {
      const path = `/api/stats/overview?client=${client}${order}`;
      const { body } = await gateway.send('GET', path, { as: gateway.cookies.admin });
      expect(body.models).toBe(26);
      return body.byModel.map(({ model }: { model: string }) => model);
    };
    const names = many.map(({ name }) => name);
    expect((await listed('')).slice(0, 3)).toEqual(['many-00', 'many-03', 'many-25']);
    expect(await listed('&models=calls')).toEqual([...names].reverse().slice(0, 20));
    expect(await listed('&models=name')).toEqual(names.slice(0, 20));
    await prisma.turn.deleteMany({ where: { client } });
    await prisma.model.deleteMany({ where: { id: { startsWith: 'model_many_' } } });
  });

  it('covers one key only, within what the caller may see', async () => {
    const { id: modelId } = await gateway.prisma.model.findUniqueOrThrow({ where: { name: 'demo-text' } });
    const of = { teamId: gateway.teams.other, modelId };
    const failed = failedTurn({ ...of, keyId: 'key_a', agoMs: 30 * 60_000 });
    await recordTurns(gateway, [
      failed,
      testTurn({ ...of, keyId: 'key_a' }),
      failedTurn({ ...of, keyId: 'key_b', agoMs: 10 * 60_000 }),
      testTurn({ ...of, keyId: 'key_c' }),
    ]);
    const { at } = await gateway.prisma.turn.findFirstOrThrow({ where: { id: failed.id } });
    const counted = async (keyId: string, as: 'admin' | 'viewer') => {
      const { body } = await gateway.send('GET', `/api/stats/overview?keyId=${keyId}`, { as: gateway.cookies[as] });
      return body;
    };
    const ofA = await counted('key_a', 'admin');
    expect(ofA.totals).toMatchObject({ clean: 1, failed: 1 });
    expect(ofA.classes).toEqual([{ class: 'InvalidJson', count: 1 }]);
    expect(ofA.failingModels).toMatchObject([{ modelId, lastFailedAt: at.toISOString() }]);
    expect((await counted('key_c', 'admin')).failingModels).toEqual([]);
    expect((await counted('key_a', 'viewer')).models).toBe(0);
    await gateway.prisma.turn.deleteMany({ where: { keyId: { in: ['key_a', 'key_b', 'key_c'] } } });
  });

  it('lists what each model runs with, by failed rate, and which are removed', async () => {
    const { prisma } = gateway;
    const removed = await prisma.model.findUniqueOrThrow({ where: { name: 'demo-leaky' } });
    await prisma.model.update({ where: { id: removed.id }, data: { removedAt: new Date() } });
    await gateway.app.get(PostgresConfigSnapshot, { strict: false }).refresh();
    const of = { teamId: gateway.teams.other, modelId: removed.id };
    await recordTurns(gateway, [
      ...Array.from({ length: 3 }, () => testTurn({ ...of, outcome: 'repaired' })),
      testTurn({ ...of }),
    ]);
    const { body } = await gateway.send('GET', '/api/stats/overview', { as: gateway.cookies.admin });
    const names = (items: { model: string }[]) => items.map(({ model }) => model);
    expect(names(body.failingModels)).toEqual(['demo-native', 'demo-leaky']);
    const byName = new Map<string, object>(body.byModel.map((item: { model: string }) => [item.model, item]));
    expect(byName.get('demo-native')).toMatchObject({
      counts: { failed: 15 },
      strategy: { set: 'auto', used: 'native' },
    });
    expect(byName.get('demo-leaky')).toMatchObject({ counts: { repaired: 3, clean: 1 }, strategy: null });
    await prisma.model.update({ where: { id: removed.id }, data: { removedAt: null } });
    await gateway.app.get(PostgresConfigSnapshot, { strict: false }).refresh();
  });

  it('includes the strategy changes of its time range', async () => {
    await gateway.send('PATCH', '/api/models/demo-native', { as: gateway.cookies.admin, body: { strategy: 'native' } });
    const { body } = await gateway.send('GET', '/api/stats/overview?model=demo-native', { as: gateway.cookies.viewer });
    expect(body.changes).toEqual([
      expect.objectContaining({ model: 'demo-native', toStrategy: 'native', actor: 'admin@callsmith.local' }),
    ]);
    const other = await gateway.send('GET', '/api/stats/overview?model=demo-text', { as: gateway.cookies.viewer });
    expect([other.body.changes, other.body.totals.turns]).toEqual([[], 0]);
  });
});

it('security 29: another team’s metrics are not included', async () => {
  for (const path of ['overview', 'usage', 'usage/over-time', 'usage/export']) {
    const { status } = await gateway.send('GET', `/api/stats/${path}?teamId=${gateway.teams.other}`, {
      as: gateway.cookies.editor,
    });
    expect(status).toBe(404);
  }
});

it('usage names its subjects', async () => {
  const by = async (what: string) =>
    (await gateway.send('GET', `/api/stats/usage?by=${what}`, { as: gateway.cookies.viewer })).body.items;
  expect(await by('key')).toEqual([
    expect.objectContaining({ id: keyId, name: 'Ann (…1234)', turns: 82, inputTokens: 8200, injectedTokens: 8000 }),
  ]);
  expect(await by('model')).toEqual([expect.objectContaining({ id: modelId, name: 'demo-native' })]);
  expect(await by('team')).toEqual([expect.objectContaining({ name: 'default' })]);
  expect(await by('client')).toEqual([expect.objectContaining({ name: 'cline' })]);
});

describe('usage over time', () => {
  const statsFor = async (query: string, as = gateway.cookies.viewer) =>
    gateway.send('GET', `/api/stats/usage/over-time?${query}`, { as });

  it('has a point for every step and a series for each, and both add up', async () => {
    const { status, body } = await statsFor('by=key');
    expect(status).toBe(200);
    expect(body.totals).toMatchObject({ turns: 82, inputTokens: 8200, outputTokens: 1640, injectedTokens: 8000 });
    const sum = (values: number[]) => values.reduce((all, value) => all + value, 0);
    expect(sum(body.points.map(({ turns }: { turns: number }) => turns))).toBe(82);
    expect(body.items).toEqual([expect.objectContaining({ id: keyId, name: 'Ann (…1234)', turns: 82, budget: null })]);
    expect(body.items[0].course).toHaveLength(body.points.length);
    expect(sum(body.items[0].course)).toBe(9840);
    expect(body.only).toEqual({ model: null, team: 'default', key: null });
  });

  it('is filtered by a key, a model or a client, and includes their names', async () => {
    const mine = await statsFor(`keyId=${keyId}&model=demo-native&client=cline`);
    expect(mine.body.only).toEqual({ model: 'demo-native', team: 'default', key: 'Ann (…1234)' });
    expect(mine.body.totals.turns).toBe(82);
    expect((await statsFor('client=aider')).body.totals.turns).toBe(0);
    expect((await statsFor('model=demo-text')).body.items).toEqual([]);
  });

  it('includes how much of a key’s budget is used', async () => {
    const as = gateway.cookies.admin;
    await gateway.send('PATCH', `/api/keys/${keyId}`, { as, body: { tokenBudget: 50_000, budgetPeriod: 'day' } });
    const limits = gateway.app.get<LimitStore>(LIMIT_STORE, { strict: false });
    await limits.add(`budget:${keyId}`, 'day', windowBegin('day', Date.now()), 9840);
    const { body } = await statsFor('by=key');
    expect(body.items[0].budget).toEqual({ tokens: 50_000, period: 'day', used: 9840 });
  });

  it('security 18: is available as CSV too, with formulas escaped', async () => {
    await gateway.prisma.apiKey.update({ where: { id: keyId }, data: { holder: '=cmd()' } });
    const { body, headers } = await gateway.send('GET', '/api/stats/usage/export?by=key', {
      as: gateway.cookies.viewer,
    });
    expect(headers['content-disposition']).toBe('attachment; filename="usage-by-key.csv"');
    expect(body.split('\r\n')).toEqual([
      'id,name,turns,inputTokens,outputTokens,cachedTokens,injectedTokens,budgetTokens,budgetPeriod,budgetUsed,spend,budgetSpend,budgetSpendUsed',
      `${keyId},'=cmd() (…1234),82,8200,1640,0,8000,50000,day,9840,0,,`,
      '',
    ]);
    await gateway.prisma.apiKey.update({ where: { id: keyId }, data: { holder: 'Ann' } });
  });

  it('security 29: another team’s key is not found', async () => {
    const foreign = newId('key');
    await gateway.prisma.apiKey.create({
      data: { id: foreign, teamId: gateway.teams.other, holder: 'Ben', hash: 'h2', hint: '…5678' },
    });
    for (const path of ['over-time', 'export'])
      for (const id of [foreign, 'key_none']) {
        const url = `/api/stats/usage/${path}?keyId=${id}`;
        expect((await gateway.send('GET', url, { as: gateway.cookies.editor })).status).toBe(404);
      }
    expect((await statsFor(`keyId=${foreign}`, gateway.cookies.admin)).body.only.key).toBe('Ben (…5678)');
  });
});

it('evidence shows both strategies with intervals, and the better one', async () => {
  const { body } = await gateway.send('GET', `/api/models/${modelId}/evidence`, { as: gateway.cookies.viewer });
  expect(body.native.failed).toMatchObject({ value: 0.25, n: 40, few: false });
  expect(body.native.failed.low).toBeCloseTo(0.1419, 3);
  expect(body.native.noCall).toMatchObject({ n: 42 });
  expect(body.prompt).toMatchObject({ counts: { clean: 40 }, injectedTokens: 200, failed: { value: 0 } });
  expect(body.better).toBe('prompt');
  expect(body.affected).toEqual({ keys: 1, teams: 1, requestsPerHour: 82 / 24 });
  expect(body.budget).toMatchObject({
    percentage: 2,
    calls: 80,
    failed: 10,
    fast: { minutes: 60, calls: 80, failed: 10, times: 6.25, most: 6, tooFast: true },
    slow: null,
    days: [expect.objectContaining({ calls: 80, failed: 10 })],
  });
  expect(body.budget.remaining).toBeCloseTo(1 - 10 / 1.6);
  expect(body.reason).toMatch(/^25 % of 40 calls, InvalidJson, since \d\d:\d\d UTC$/);
});

describe('trigger F1 and schema accuracy', () => {
  /** Three of four questions got the expected call, the fourth none. */
  const rows = Array.from({ length: 4 }, (_, at) => ({
    arm: 1,
    key: `1.${at}`,
    case: 1,
    streamed: false,
    wanted: true,
    right: at > 0,
    why: null,
    said: null,
    calls: at > 0 ? 1 : 0,
    valid: at > 0,
    clean: true,
    refused: false,
    inputTokens: null,
    outputTokens: null,
    firstTokenMs: null,
  }));
  const endedAt = new Date('2026-01-02T03:04:05Z');

  beforeAll(async () => {
    const { upstreams } = await gateway.prisma.model.findUniqueOrThrow({
      where: { id: modelId },
      include: { upstreams: { include: { upstream: true } } },
    });
    const { upstreamId, upstream } = upstreams[0]!;
    await gateway.prisma.probe.create({
      data: {
        id: newId('probe'),
        actor: 'auto',
        seed: 'seed',
        modelId,
        upstreamId,
        engineVersion: upstream.engineVersion,
        cause: 'asked',
        size: 'quick',
        state: 'done',
        arms: [
          { strategy: 'native', dialect: null },
          { strategy: 'prompt', dialect: 'hermes' },
        ],
        inEffect: 0,
        budget: {},
        spent: {},
        rows,
        endedAt,
      },
    });
    await recordTurns(gateway, [
      testTurn({
        agoMs: 120_000,
        teamId: gateway.teams.own,
        modelId,
        keyId,
        strategyUsed: 'prompt',
        outcome: 'invalid',
      }),
    ]);
  });

  it('are listed with the rates of each strategy: F1 by the newest probe, accuracy by the record', async () => {
    const { body } = await gateway.send('GET', `/api/models/${modelId}/evidence`, { as: gateway.cookies.viewer });
    expect(body.prompt.schemaAccuracy).toMatchObject({ value: 40 / 41, n: 41 });
    expect(body.prompt.triggerF1).toEqual({ value: 6 / 7, n: 4, at: endedAt.toISOString() });
    expect(body.native.triggerF1).toBeNull();
    expect(body.strict).toMatchObject({ schemaAccuracy: null, triggerF1: null });
  });

  it('are exported with all rates, as made and as delivered, each with n and interval', async () => {
    const { body, headers } = await gateway.send('GET', '/api/stats/rates/export', { as: gateway.cookies.viewer });
    expect(headers['content-disposition']).toBe('attachment; filename="rates.csv"');
    const [head, ...lines] = (body as string).trimEnd().split('\r\n');
    const rowsOf = lines.map((line) => {
      const cells = line.split(',');
      return Object.fromEntries(head!.split(',').map((name, at) => [name, cells[at]]));
    });
    expect(rowsOf.map(({ model, strategyUsed }) => [model, strategyUsed])).toEqual([
      ['demo-native', 'native'],
      ['demo-native', 'prompt'],
    ]);
    const [native, prompt] = rowsOf;
    expect(native).toMatchObject({ clean: '30', failed: '10', none: '2', validAsMade: '0.75', validAsMadeN: '40' });
    expect(native).toMatchObject({
      unusableAsDelivered: '0.25',
      malformedAsMade: '0.25',
      noCallN: '42',
      triggerF1: '',
    });
    expect(Number(native!.unusableAsDeliveredLow)).toBeCloseTo(0.1419, 3);
    expect(prompt).toMatchObject({
      invalid: '1',
      schemaAccuracyN: '41',
      triggerF1N: '4',
      triggerF1At: endedAt.toISOString(),
    });
    expect(Number(prompt!.validAsDelivered)).toBeCloseTo(40 / 41);
    const foreign = `/api/stats/rates/export?teamId=${gateway.teams.other}`;
    expect((await gateway.send('GET', foreign, { as: gateway.cookies.editor })).status).toBe(404);
  });
});

it('models include their last 24 hours', async () => {
  const { body } = await gateway.send('GET', '/api/models', { as: gateway.cookies.viewer });
  const native = body.items.find(({ name }: { name: string }) => name === 'demo-native');
  expect(native).toMatchObject({
    outcomes: { clean: 70, invalid: 1, failed: 10, none: 2 },
    lastUsedAt: expect.any(String),
  });
  expect(body.items.find(({ name }: { name: string }) => name === 'demo-text')).toMatchObject({ lastUsedAt: null });
});
