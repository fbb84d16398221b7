import { NEEDS_REDIS, testDatabase, testRedis } from '@callsmith/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineJob, handlersOf, type Job, type JobHandler } from './job.ts';
import type { JobRun, JobRunner } from './runner.ts';
import { BullmqRunner } from './runners/bullmq.ts';
import { InlineRunner } from './runners/test-inline-runner.ts';

const greet = defineJob({ name: 'greet', payload: z.object({ name: z.string() }), tries: 3 });
const tick = defineJob({ name: 'tick', payload: z.object({}), tries: 1, everyMs: 400 });

let database: Awaited<ReturnType<typeof testDatabase>>;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.stop());

type Make = (queue: string, done?: (run: JobRun) => void) => JobRunner;
const pause = () => 20;
const bullmq = (redisUrl: () => string | undefined): Make => {
  return (queue, done = () => {}) =>
    new BullmqRunner({ databaseUrl: database.url, redisUrl: redisUrl(), queue, done, onError: () => {}, pause });
};
const runners: [name: string, make: Make, skip: boolean, schedules: boolean][] = [
  ['inline', (_, done) => new InlineRunner(done, pause), false, false],
  ['BullMQ on Postgres', bullmq(() => undefined), false, true],
  [
    testRedis() ? 'BullMQ on Redis' : `BullMQ on Redis: ${NEEDS_REDIS}`,
    bullmq(testRedis),
    testRedis() === undefined,
    true,
  ],
];

const open: JobRunner[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((runner) => runner.stop()));
});

let queues = 0;
const newQueue = () => `test-${process.pid}-${queues++}`;

async function soon(holds: () => boolean): Promise<void> {
  for (let tries = 0; !holds(); tries++) {
    if (tries > 1_000) throw new Error('did not come to hold');
    await new Promise((done) => setTimeout(done, 10));
  }
}

/** A running runner with one job. */
async function working<J extends Job>(
  make: Make,
  job: J,
  run: JobHandler<J>['run'],
  queue = newQueue(),
  done?: (run: JobRun) => void,
) {
  const runner = make(queue, done);
  open.push(runner);
  await runner.work(handlersOf([job], [{ job, run } as JobHandler]));
  return runner;
}

describe.each(runners)('%s', (_name, make, skip, schedules) => {
  const test = it.skipIf(skip);

  test('a job runs with its payload, and its result is reported', async () => {
    const names: string[] = [];
    const runs: JobRun[] = [];
    const runner = await working(
      make,
      greet,
      async ({ name }) => void names.push(name),
      newQueue(),
      (run) => runs.push(run),
    );
    await runner.add(greet, { name: 'Ada' });
    await soon(() => runs.length === 1);
    expect(names).toEqual(['Ada']);
    expect(runs[0]).toMatchObject({ name: 'greet', problem: undefined });
  });

  test('an invalid payload is refused', async () => {
    const runner = await working(make, greet, async () => {});
    await expect(runner.add(greet, { name: 7 } as never)).rejects.toThrow();
  });

  test('a job that fails is retried, a limited number of times', async () => {
    let tried = 0;
    const runs: JobRun[] = [];
    const fails = async () => {
      tried += 1;
      throw new Error('no');
    };
    const runner = await working(make, greet, fails, newQueue(), (run) => runs.push(run));
    await runner.add(greet, { name: 'x' });
    await soon(() => runs.length === 3);
    await new Promise((done) => setTimeout(done, 150));
    expect(tried).toBe(3);
    expect(runs.every(({ problem }) => problem instanceof Error)).toBe(true);
  });

  test('of several additions with one id, one runs', async () => {
    const names: string[] = [];
    const runner = await working(make, greet, async ({ name }) => void names.push(name));
    for (const name of ['a', 'b', 'c']) await runner.add(greet, { name }, { id: 'same' });
    await runner.add(greet, { name: 'last' });
    await soon(() => names.includes('last') && names.includes('a'));
    await new Promise((done) => setTimeout(done, 100));
    expect(names.sort()).toEqual(['a', 'last']);
  });

  test('a delayed job waits', async () => {
    let at = 0;
    const runner = await working(make, greet, async () => {
      at = Date.now();
    });
    const startedAt = Date.now();
    await runner.add(greet, { name: 'x' }, { delayMs: 300 });
    await soon(() => at > 0);
    expect(at - startedAt).toBeGreaterThanOrEqual(290);
  });

  test('stopping waits for the running job, and signals it', async () => {
    let began = false;
    let ended = false;
    let signalled = false;
    const runner = await working(make, greet, async (_, { signal }) => {
      began = true;
      await new Promise((done) => setTimeout(done, 300));
      signalled = signal.aborted;
      ended = true;
    });
    await runner.add(greet, { name: 'x' });
    await soon(() => began);
    open.splice(open.indexOf(runner), 1);
    await runner.stop();
    expect({ ended, signalled }).toEqual({ ended: true, signalled: true });
  });

  if (!schedules) return;
  test('scheduled jobs run once for all instances', async () => {
    const queue = newQueue();
    let ran = 0;
    const began = Date.now();
    for (let instance = 0; instance < 3; instance++) {
      await working(
        make,
        tick,
        async () => {
          ran += 1;
        },
        queue,
      );
    }
    await new Promise((done) => setTimeout(done, 2_000));
    const periods = (Date.now() - began) / 400;
    expect(ran).toBeGreaterThanOrEqual(2);
    expect(ran).toBeLessThanOrEqual(periods + 2);
  });
});

it('the start fails if a job has no handler, or two', () => {
  const handler: JobHandler = { job: greet, run: async () => {} };
  expect(() => handlersOf([greet, tick], [handler])).toThrow('no handler for tick');
  expect(() => handlersOf([greet], [handler, handler])).toThrow('two handlers');
});
