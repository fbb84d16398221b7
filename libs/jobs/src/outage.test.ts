import { forwarder, testDatabase } from '@callsmith/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { defineJob, type Handles, handlersOf } from './job.ts';
import { BullmqRunner } from './runners/bullmq.ts';

const tick = defineJob({ name: 'tick', payload: z.object({}), tries: 1, everyMs: 500 });

let database: Awaited<ReturnType<typeof testDatabase>>;
let line: Awaited<ReturnType<typeof forwarder>>;
beforeAll(async () => {
  database = await testDatabase();
  line = await forwarder(database.url);
});
afterAll(async () => {
  await line.stop();
  await database.stop();
});

it('jobs go on when Postgres comes back', async () => {
  let ran = 0;
  let troubles = 0;
  const runner = new BullmqRunner({
    databaseUrl: line.url,
    redisUrl: undefined,
    done: () => {
      ran += 1;
    },
    trouble: () => {
      troubles += 1;
    },
  });
  await runner.work(handlersOf([tick], [{ job: tick, run: async () => {} } as Handles]));
  const until = async (holds: () => boolean) => {
    for (let tries = 0; !holds(); tries++) {
      if (tries > 1_500) throw new Error('did not come to hold');
      await new Promise((done) => setTimeout(done, 10));
    }
  };
  await until(() => ran > 1);
  line.cut();
  await until(() => troubles > 0);
  line.mend();
  const before = ran;
  await until(() => ran > before + 1);
  await runner.stop();
});

it('stopping does not wait for a Redis that never answered', async () => {
  const troubles: Error[] = [];
  const runner = new BullmqRunner({
    databaseUrl: database.url,
    redisUrl: 'redis://127.0.0.1:1',
    done: () => {},
    trouble: (problem) => troubles.push(problem),
    patienceMs: 300,
  });
  runner.work(handlersOf([tick], [{ job: tick, run: async () => {} } as Handles])).catch(() => {});
  await new Promise((done) => setTimeout(done, 300));
  expect(troubles.length).toBeGreaterThan(0);
  const began = performance.now();
  await runner.stop();
  expect(performance.now() - began).toBeLessThan(2_000);
});

it('a Postgres that cannot be made ready does not hold up the process', async () => {
  const nowhere = new URL(database.url);
  nowhere.pathname = '/no-such-database';
  const troubles: Error[] = [];
  const runner = new BullmqRunner({
    databaseUrl: nowhere.href,
    redisUrl: undefined,
    done: () => {},
    trouble: (problem) => troubles.push(problem),
    patienceMs: 300,
  });
  const working = runner.work(handlersOf([tick], [{ job: tick, run: async () => {} } as Handles]));
  await expect(working).rejects.toThrow(/does not exist/);
  await new Promise((done) => setTimeout(done, 100)); // would never come back from a loop without a pause
  await runner.stop();
  expect(troubles.length).toBeLessThan(10);
});
