import { newId, shownTurnId } from '@callsmith/data/ids';
import type { TurnRecord } from '@callsmith/data/record';
import { hashKey } from '@callsmith/data/secrets';
import { startSimulator } from '@callsmith/simulator';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { adminKey, startTestGateway, type TestGateway } from '../test-gateway.ts';
import { failedTurn, recordTurns } from '../test-turns.ts';

let gateway: TestGateway;
let simulator: Awaited<ReturnType<typeof startSimulator>>;
const ids = new Map<string, string>();
const apiKey = 'sk-cs-trials-0123456789abcdef';

beforeAll(async () => {
  simulator = await startSimulator({
    models: ['sim-flaky', 'sim-native', { id: 'slow', as: 'sim-native@first=60000' }, 'sim-hermes'],
  });
  gateway = await startTestGateway();
  await gateway.prisma.apiKey.create({
    data: {
      id: newId('key'),
      teamId: gateway.teams.own,
      holder: 'tests',
      hash: hashKey(gateway.config.secretKey, apiKey),
      hint: 'sk-…cdef',
      requestsPerMinute: 1000,
    },
  });
  const { status } = await asAdmin('POST', '/api/upstreams', { name: 'gpu', baseUrl: simulator.url });
  expect(status).toBe(200);
  for (const { name, id } of (await asAdmin('GET', '/api/models')).body.items) ids.set(name, id);
});
afterEach(async () => {
  for (const { id } of await gateway.prisma.trial.findMany()) await asAdmin('POST', `/api/trials/${id}/cancel`, {});
});
afterAll(async () => {
  await gateway.stop();
  await simulator.close();
});

const asAdmin = (method: 'GET' | 'POST' | 'PATCH', url: string, body?: object) =>
  gateway.send(method, url, { headers: { 'x-admin-key': adminKey }, body });
const as = (role: 'editor' | 'viewer', method: 'GET' | 'POST', url: string, body?: object) =>
  gateway.send(method, url, { as: gateway.cookies[role], body });
const start = (model: string, body: object) => asAdmin('POST', `/api/models/${model}/trials`, body);

const readFile = {
  name: 'read_file',
  parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
};

async function ask(model: string, file: string) {
  return gateway.send('POST', '/v1/chat/completions', {
    headers: { authorization: `Bearer ${apiKey}` },
    body: {
      model,
      stream: true,
      messages: [{ role: 'user', content: `Read the file ${file}` }],
      tools: [{ type: 'function', function: readFile }],
    },
  });
}

/** Sends requests until this many turns of the model have failed and are recorded. */
async function untilFailed(model: string, wanted: number): Promise<void> {
  for (let n = 0; n < 200; n++) {
    const { body } = await asAdmin('GET', `/api/failures?outcome=failed&model=${model}`);
    if (body.items.length >= wanted) return;
    await ask(model, `file-${n}.txt`);
    await new Promise((done) => setTimeout(done, 20));
  }
  throw new Error('too few failed');
}

async function untilOver(id: string, send = asAdmin) {
  for (let n = 0; n < 400; n++) {
    const { body } = await send('GET', `/api/trials/${id}`);
    if (!['waiting', 'running'].includes(body.state)) return body;
    await new Promise((done) => setTimeout(done, 25));
  }
  throw new Error('the trial did not end');
}

/** Everything that is counted anywhere: rows, sums, counters of keys, metrics. */
async function counted() {
  // Recording happens after the response; a gateway returns its reserved part of a limit after an idle second.
  await new Promise((done) => setTimeout(done, 2_500));
  const { body: metrics } = await gateway.send('GET', '/metrics', { headers: { 'x-admin-key': adminKey } });
  const { body: evidence } = await asAdmin('GET', `/api/models/${ids.get('sim-flaky')}/evidence`);
  return {
    turns: await gateway.prisma.turn.count(),
    calls: await gateway.prisma.call.count(),
    bodies: await gateway.prisma.turnBody.count(),
    counters: (await gateway.prisma.counter.findMany()).map(({ name, value }) => `${name} ${value}`),
    metrics: String(metrics)
      .split('\n')
      .filter((line) => /^(callsmith_(turns|findings|repairs)|manager_)/.test(line)),
    evidence: [evidence.native.counts, evidence.prompt.counts],
  };
}

describe('a trial', () => {
  it('sends the last failed turns again with the other strategy, recorded nowhere and audited', async () => {
    await untilFailed('sim-flaky', 3);
    const before = await counted();
    const failed = (await asAdmin('GET', '/api/failures?outcome=failed&model=sim-flaky')).body.items;
    const { status, body } = await start('sim-flaky', { strategy: 'prompt' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ modelId: ids.get('sim-flaky'), strategy: 'prompt', problem: null });
    const trial = await untilOver(body.id);
    expect(trial.state).toBe('done');
    expect(trial.rows.map((row: { turn: { id: string } }) => row.turn.id)).toEqual(
      failed.slice(0, 10).map(({ id }: { id: string }) => id),
    );
    for (const row of trial.rows) {
      expect(row).toMatchObject({
        builtIn: null,
        turn: { strategyUsed: 'native' },
        old: { outcome: 'failed', inputTokens: expect.any(Number) },
        new: { outcome: 'clean', classes: [], calls: 1, inputTokens: expect.any(Number), errorCode: null },
      });
      expect(row.new.totalMs).toBeGreaterThan(0);
    }
    expect(await counted()).toEqual(before);
    const audit = (await asAdmin('GET', `/api/audit?targetKind=model&targetId=${ids.get('sim-flaky')}`)).body.items;
    expect(audit[0]).toMatchObject({
      action: 'model.try',
      after: { trial: trial.id, strategy: 'prompt', read: failed.map(({ id }: { id: string }) => id) },
    });
  });

  it('takes at most ten, the newest, of those that are stored and used another strategy', async () => {
    const modelId = ids.get('sim-native') ?? '';
    const turn = (agoMs: number, more: Partial<TurnRecord> = {}) =>
      failedTurn({ modelId, model: 'sim-native', teamId: gateway.teams.other, agoMs, ...more });
    const wanted = Array.from({ length: 12 }, (_, n) => turn(60_000 + n * 1_000));
    const others = [
      turn(1_000, { body: null }),
      turn(2_000, { strategyUsed: 'prompt', dialect: 'hermes' }),
      turn(3_000, { outcome: 'repaired' }),
    ];
    await recordTurns(gateway, [...wanted, ...others]);
    const { body } = await start('sim-native', { strategy: 'prompt', dialect: 'hermes' });
    expect(body.rows.map((row: { turn: { id: string } }) => row.turn.id)).toEqual(
      wanted.slice(0, 10).map(({ id }) => shownTurnId(id)),
    );
    // The stored bodies of these turns are no requests: each is reported, and none blocks the others.
    const trial = await untilOver(body.id);
    expect(trial.state).toBe('done');
    expect(new Set(trial.rows.map((row: { new: { errorCode: string } }) => row.new.errorCode))).toEqual(
      new Set(['missing_parameter']),
    );
  });

  it('sends turns of /v1/responses by their own API', async () => {
    const modelId = ids.get('sim-flaky') ?? '';
    const input = 'Read the file b.txt';
    const clientRequest = JSON.stringify({
      model: 'gone',
      input,
      stream: true,
      tools: [{ type: 'function', ...readFile }],
    });
    const body = { clientRequest, upstreamRequest: null, raw: [], delivered: null, notes: [], settings: {} };
    await recordTurns(gateway, [
      failedTurn({ modelId, route: '/v1/responses', agoMs: 0, teamId: gateway.teams.other, body }),
    ]);
    const trial = await untilOver((await start('sim-flaky', { strategy: 'prompt' })).body.id);
    expect(trial.rows[0].new).toMatchObject({ outcome: 'clean', calls: 1 });
  });

  it('sends three built-in requests if none is stored', async () => {
    const { body } = await start('sim-hermes', { strategy: 'prompt' });
    const trial = await untilOver(body.id);
    expect(
      trial.rows.map(
        ({
          builtIn,
          turn,
          old,
          new: now,
        }: {
          builtIn: string;
          turn: null;
          old: null;
          new: { outcome: string; calls: number };
        }) => [builtIn, turn, old, now.outcome, now.calls],
      ),
    ).toEqual([
      ['one-call', null, null, 'clean', 1],
      ['three-calls', null, null, 'clean', 3],
      ['long-argument', null, null, 'clean', 1],
    ]);
  });

  it('quotes the upstream if it refuses the strategy', async () => {
    const trial = await untilOver((await start('sim-hermes', { strategy: 'native' })).body.id);
    expect(trial.state).toBe('done');
    expect(trial.rows[0].new).toMatchObject({ outcome: null, errorCode: 'upstream_rejected' });
    // Nothing is learned about a setting that is not in effect.
    expect(await gateway.prisma.learned.count({ where: { modelId: ids.get('sim-hermes') ?? '' } })).toBe(0);
  });

  it('is cancelled, and aborts its upstream request', async () => {
    const { body } = await start('slow', { strategy: 'prompt' });
    for (let n = 0; n < 200 && (await asAdmin('GET', `/api/trials/${body.id}`)).body.state !== 'running'; n++)
      await new Promise((done) => setTimeout(done, 20));
    const cancelled = await asAdmin('POST', `/api/trials/${body.id}/cancel`, {});
    expect(cancelled.body).toMatchObject({ state: 'cancelled', endedAt: expect.any(String) });
    expect(cancelled.body.rows.map((row: { new: null }) => row.new)).toEqual([null, null, null]);
    const running = async () =>
      /^callsmith_upstream_requests (\d+)/m.exec(
        String((await gateway.send('GET', '/metrics', { headers: { 'x-admin-key': adminKey } })).body),
      )?.[1];
    await expect.poll(running, { timeout: 3_000 }).toBe('0');
  });

  it('of a model runs one at a time; the same one is not started twice', async () => {
    const first = await start('slow', { strategy: 'prompt' });
    const again = await start('slow', { strategy: 'prompt' });
    expect(again.body.id).toBe(first.body.id);
    const other = await start('slow', { strategy: 'native' });
    expect([other.status, other.body.error.code]).toEqual([409, 'conflict']);
    expect(other.body.error.message).toContain('Another trial of this model');
  });

  it('accepts an existing dialect', async () => {
    const { status, body } = await start('sim-native', { strategy: 'prompt', dialect: 'klingon' });
    expect([status, body.error.param]).toEqual([400, 'dialect']);
    const auto = await start('sim-native', { strategy: 'auto' });
    expect([auto.status, auto.body.error.param]).toEqual([400, 'strategy']);
    expect((await start('nobody', { strategy: 'prompt' })).status).toBe(404);
    const hermes = await start('sim-hermes', { strategy: 'prompt', dialect: null });
    expect(hermes.body.dialect).toBe('hermes');
  });
});

describe('security 29: rights', () => {
  it('an editor tries only turns of their own team, and does not see the trials of others', async () => {
    const foreign = failedTurn({ modelId: ids.get('sim-flaky') ?? '', teamId: gateway.teams.other, agoMs: 500 });
    await recordTurns(gateway, [foreign]);
    const { body } = await as('editor', 'POST', `/api/models/sim-flaky/trials`, { strategy: 'prompt' });
    const mine = (await as('editor', 'GET', '/api/failures?outcome=failed&model=sim-flaky')).body.items;
    expect(body.rows.map((row: { turn: { id: string } }) => row.turn.id)).toEqual(
      mine.slice(0, 10).map(({ id }: { id: string }) => id),
    );
    expect((await untilOver(body.id, (method, url) => as('editor', method as 'GET', url))).state).toBe('done');
    const { body: ofAll } = await start('sim-flaky', { strategy: 'prompt' });
    expect(ofAll.rows[0].turn.id).toBe(shownTurnId(foreign.id));
    expect((await as('editor', 'GET', `/api/trials/${ofAll.id}`)).status).toBe(404);
    expect((await as('editor', 'POST', `/api/trials/${ofAll.id}/cancel`, {})).status).toBe(404);
    expect((await as('viewer', 'GET', `/api/trials/${body.id}`)).status).toBe(403);
  });
});
