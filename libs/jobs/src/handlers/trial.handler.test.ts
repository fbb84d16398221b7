import type { TrialAnswer } from '@callsmith/contracts';
import { builtInName } from '@callsmith/contracts';
import { createPrisma, type PrismaService } from '@callsmith/data/database';
import { newId } from '@callsmith/data/ids';
import { cancelTrial, findTrial, startTrial } from '@callsmith/data/trials';
import { NEEDS_REDIS, testDatabase, testRedis } from '@callsmith/testing';
import { Fault } from '@callsmith/turn';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { handlersOf } from '../job.ts';
import { trial as job } from '../jobs/trial.ts';
import type { JobRunner } from '../runner.ts';
import { BullmqRunner } from '../runners/bullmq.ts';
import { InlineRunner } from '../runners/test-inline-runner.ts';
import type { TrialRequest, TrialRunner } from '../trial/trial-runner.ts';
import { TrialHandler } from './trial.handler.ts';

let database: Awaited<ReturnType<typeof testDatabase>>;
let prisma: PrismaService;
let modelId: string;
beforeAll(async () => {
  database = await testDatabase();
  prisma = createPrisma(database.url);
});
afterAll(async () => {
  await prisma.$disconnect();
  await database.stop();
});
beforeEach(async () => {
  modelId = newId('model');
  await prisma.model.create({ data: { id: modelId, name: modelId } });
});

const clean: TrialAnswer = {
  outcome: 'clean',
  classes: [],
  calls: 1,
  inputTokens: 100,
  outputTokens: 20,
  totalMs: 5,
  errorCode: null,
  errorMessage: null,
};

const by = { actor: 'user_1' };

async function started(): Promise<string> {
  const rows = [...builtInName.options, ...builtInName.options].map((builtIn) => ({
    turn: null,
    builtIn,
    old: null,
    new: null,
  }));
  const found = await startTrial(prisma, by, { modelId, teamId: null, strategy: 'prompt', dialect: 'hermes', rows });
  if ('busy' in found) throw new Error(`busy: ${found.busy}`);
  return found.trial.id;
}

const queue = () => newId('lease');
const bullmq = (redisUrl: string | undefined) =>
  new BullmqRunner({ databaseUrl: database.url, redisUrl, queue: queue(), done: () => {}, onError: () => {} });
const runners: [name: string, make: () => JobRunner, skip: boolean][] = [
  ['inline', () => new InlineRunner(), false],
  ['BullMQ on Postgres', () => bullmq(undefined), false],
  [
    testRedis() ? 'BullMQ on Redis' : `BullMQ on Redis: ${NEEDS_REDIS}`,
    () => bullmq(testRedis()),
    testRedis() === undefined,
  ],
];

const open: JobRunner[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((runner) => runner.stop()));
});

/** A running runner for trials, whose requests are answered by `tryTurn`. */
async function working(make: () => JobRunner, tryTurn: TrialRunner['tryRequest']): Promise<JobRunner> {
  const runner = make();
  open.push(runner);
  await runner.work(handlersOf([job], [new TrialHandler(prisma, { tryRequest: tryTurn })]));
  return runner;
}

async function until(id: string, state: string): Promise<NonNullable<Awaited<ReturnType<typeof findTrial>>>> {
  for (let tries = 0; tries < 500; tries++) {
    const trial = await findTrial(prisma, id);
    if (trial?.state === state) return trial;
    await new Promise((done) => setTimeout(done, 20));
  }
  throw new Error(`never ${state}: ${JSON.stringify(await findTrial(prisma, id))}`);
}

async function soon(holds: () => boolean): Promise<void> {
  for (let tries = 0; !holds(); tries++) {
    if (tries > 500) throw new Error('did not come to hold');
    await new Promise((done) => setTimeout(done, 10));
  }
}

/** Resolves when the signal is aborted, as an aborted request does. */
const hanging = (_: TrialRequest, signal: AbortSignal) =>
  new Promise<TrialAnswer>((resolve) => {
    signal.addEventListener('abort', () => resolve({ ...clean, outcome: null, errorCode: 'aborted' }));
  });

describe.each(runners)('a trial by %s', (_name, make, skip) => {
  const test = it.skipIf(skip);

  test('tries every request, two at a time, with the requested strategy', async () => {
    const received: TrialRequest[] = [];
    let [running, most] = [0, 0];
    const runner = await working(make, async (turn) => {
      most = Math.max(most, ++running);
      await new Promise((done) => setTimeout(done, 30));
      running--;
      received.push(turn);
      return clean;
    });
    const id = await started();
    await runner.add(job, { id }, { id });
    const { rows, problem, endedAt } = await until(id, 'done');
    expect(rows.map((row) => row.new)).toEqual(rows.map(() => clean));
    expect({ most, problem, ended: endedAt !== null }).toEqual({ most: 2, problem: null, ended: true });
    expect(received).toHaveLength(6);
    expect(received[0]).toMatchObject({
      modelId,
      strategy: 'prompt',
      dialect: 'hermes',
      route: '/v1/chat/completions',
    });
    expect(JSON.parse(received[0]?.request ?? '')).toMatchObject({ stream: true });
  });

  test('is canceled while it runs: running requests are aborted, finished ones stay', async () => {
    let [requestCount, cut] = [0, 0];
    const runner = await working(make, (turn, signal) => {
      if (requestCount++ === 0) return Promise.resolve(clean);
      signal.addEventListener('abort', () => cut++);
      return hanging(turn, signal);
    });
    const id = await started();
    await runner.add(job, { id }, { id });
    await soon(() => requestCount === 3);
    const trial = await findTrial(prisma, id);
    if (trial) await cancelTrial(prisma, by, trial);
    await soon(() => cut === 2);
    const { rows } = await until(id, 'cancelled');
    expect(rows.map((row) => row.new?.outcome)).toEqual(['clean', ...Array(5).fill(undefined)]);
    expect(requestCount).toBe(3);
  });

  test('has failed if the gateway stops in the middle', async () => {
    const runner = await working(make, hanging);
    const id = await started();
    await runner.add(job, { id }, { id });
    await until(id, 'running');
    await runner.stop();
    expect((await until(id, 'failed')).problem).toContain('was stopped before it finished');
  });

  test('is not run if it was canceled while it waited', async () => {
    let requestCount = 0;
    const runner = await working(make, async () => {
      requestCount++;
      return clean;
    });
    const [id, next] = [await started(), newId('model')];
    const trial = await findTrial(prisma, id);
    if (trial) await cancelTrial(prisma, by, trial);
    await runner.add(job, { id }, { id });
    await prisma.model.create({ data: { id: next, name: next } });
    modelId = next;
    const other = await started();
    await runner.add(job, { id: other }, { id: other });
    await until(other, 'done');
    expect({ state: (await findTrial(prisma, id))?.state, requestCount }).toEqual({
      state: 'cancelled',
      requestCount: 6,
    });
  });
});

it('a trial whose gateway is stopping has failed, and says so', async () => {
  const runner = await working(
    () => new InlineRunner(),
    () => Promise.reject(new Fault('shutting_down')),
  );
  const id = await started();
  await runner.add(job, { id });
  expect((await until(id, 'failed')).problem).toBe('Callsmith is shutting down.');
});

it('a request that is no longer stored is reported as gone; the others are tried', async () => {
  const runner = await working(
    () => new InlineRunner(),
    async () => clean,
  );
  const id = await started();
  const turn = {
    id: '01890000-0000-7000-8000-000000000000',
    at: new Date().toISOString(),
    strategyUsed: 'native',
    dialect: 'auto',
  };
  const [, ...rest] = (await findTrial(prisma, id))?.rows ?? [];
  await prisma.trial.update({
    where: { id },
    data: { rows: JSON.parse(JSON.stringify([{ turn, builtIn: null, old: clean, new: null }, ...rest])) },
  });
  await runner.add(job, { id });
  const { rows } = await until(id, 'done');
  expect(rows[0]?.new).toMatchObject({ outcome: null, errorCode: 'not_found' });
  expect(rows.slice(1).every((row) => row.new?.outcome === 'clean')).toBe(true);
});

describe('starting trials', () => {
  it('the same trial is started once; another one of the model, or a third one, has to wait', async () => {
    await prisma.trial.deleteMany();
    const id = await started();
    expect(await started()).toBe(id);
    const ask = (model: string, strategy: 'native' | 'prompt') =>
      startTrial(prisma, by, { modelId: model, teamId: null, strategy, dialect: 'hermes', rows: [] });
    expect(await ask(modelId, 'native')).toEqual({ busy: 'model' });
    const models = [newId('model'), newId('model')];
    await prisma.model.createMany({ data: models.map((name) => ({ id: name, name })) });
    expect(await ask(models[0] ?? '', 'prompt')).toMatchObject({ begun: true });
    expect(await ask(models[1] ?? '', 'prompt')).toEqual({ busy: 'others' });
    await prisma.trial.deleteMany();
  });

  it('one whose process died has failed half a minute later, one that was never taken five minutes later', async () => {
    const id = await started();
    const ago = (seconds: number) => new Date(Date.now() - seconds * 1000);
    const set = (state: string, seconds: number) =>
      prisma.trial.update({ where: { id }, data: { state, beatAt: ago(seconds), endedAt: null, problem: null } });
    const state = async () => (await findTrial(prisma, id))?.state;
    await set('running', 20);
    expect(await state()).toBe('running');
    await set('running', 40);
    expect(await state()).toBe('failed');
    await set('waiting', 200);
    expect(await state()).toBe('waiting');
    await set('waiting', 400);
    expect(await state()).toBe('failed');
  });
});
