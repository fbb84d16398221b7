import { spawn, spawnSync } from 'node:child_process';
import { type AddressInfo, createServer } from 'node:net';
import { forwarder, NEEDS_REDIS, testDatabase } from '@callsmith/testing';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineJob, handlersOf, type JobHandler } from './job.ts';
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

it('jobs continue when Postgres comes back', async () => {
  let ran = 0;
  let troubles = 0;
  const runner = new BullmqRunner({
    databaseUrl: line.url,
    redisUrl: undefined,
    done: () => {
      ran += 1;
    },
    onError: () => {
      troubles += 1;
    },
  });
  await runner.work(handlersOf([tick], [{ job: tick, run: async () => {} } as JobHandler]));
  const until = async (holds: () => boolean) => {
    for (let tries = 0; !holds(); tries++) {
      if (tries > 1_500) throw new Error('did not come to hold');
      await new Promise((done) => setTimeout(done, 10));
    }
  };
  await until(() => ran > 1);
  line.cut();
  await until(() => troubles > 0);
  line.restore();
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
    onError: (problem) => troubles.push(problem),
    maxWaitMs: 300,
  });
  runner.work(handlersOf([tick], [{ job: tick, run: async () => {} } as JobHandler])).catch(() => {});
  await expect.poll(() => troubles.length, { timeout: 10_000 }).toBeGreaterThan(0);
  const began = performance.now();
  await runner.stop();
  expect(performance.now() - began).toBeLessThan(2_000);
});

it('a Postgres that fails during the setup does not block the process, and jobs start once it works', async () => {
  const nowhere = new URL(database.url);
  nowhere.pathname = `/not_there_yet_${process.pid}`;
  const troubles: Error[] = [];
  let ran = 0;
  let greetCount = 0;
  const greet = defineJob({ name: 'greet', payload: z.object({}), tries: 1 });
  const runner = new BullmqRunner({
    databaseUrl: nowhere.href,
    redisUrl: undefined,
    done: () => {},
    onError: (problem) => troubles.push(problem),
    pause: () => 200,
    maxWaitMs: 300,
  });
  const handlers = [
    { job: tick, run: async () => void ran++ },
    { job: greet, run: async () => void greetCount++ },
  ] as JobHandler[];
  const working = runner.work(handlersOf([tick, greet], handlers));
  await expect(runner.add(greet, {})).rejects.toThrow(/does not exist/);
  await new Promise((done) => setTimeout(done, 1_000)); // would block forever in a loop without a pause
  expect(troubles.length).toBeGreaterThan(1);
  expect(troubles.length).toBeLessThan(40);
  const admin = new pg.Client({ connectionString: database.url });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${nowhere.pathname.slice(1)}`);
  await working;
  await runner.add(greet, {});
  for (let tries = 0; ran < 2 || greetCount === 0; tries++) {
    if (tries > 500) throw new Error('jobs did not begin');
    await new Promise((done) => setTimeout(done, 20));
  }
  await runner.stop();
  await admin.query(`DROP DATABASE ${nowhere.pathname.slice(1)} WITH (FORCE)`);
  await admin.end();
});

const hasRedis = spawnSync('redis-server', ['--version']).status === 0;

describe.skipIf(!hasRedis)(`a separate Redis (${NEEDS_REDIS})`, () => {
  it('jobs recover when Redis dies and comes back empty', async () => {
    const port = await freePort();
    const start = () =>
      spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'], {
        stdio: 'ignore',
      });
    let redis = start();
    let ran = 0;
    let troubles = 0;
    const runner = new BullmqRunner({
      databaseUrl: database.url,
      redisUrl: `redis://127.0.0.1:${port}`,
      done: () => {
        ran += 1;
      },
      onError: () => {
        troubles += 1;
      },
      maxWaitMs: 1_000,
    });
    const until = async (holds: () => boolean) => {
      for (let tries = 0; !holds(); tries++) {
        if (tries > 1_500) throw new Error('did not come to hold');
        await new Promise((done) => setTimeout(done, 10));
      }
    };
    await runner.work(handlersOf([tick], [{ job: tick, run: async () => {} } as JobHandler]));
    await until(() => ran > 1);
    for (let round = 0; round < 2; round++) {
      const before = troubles;
      redis.kill('SIGKILL');
      await until(() => troubles > before);
      await new Promise((done) => setTimeout(done, 500));
      redis = start();
      const then = ran;
      await until(() => ran > then + 1);
    }
    await runner.stop();
    redis.kill('SIGKILL');
  }, 60_000);

  it('requests while Redis is unreachable fail soon instead of waiting forever', async () => {
    const runner = new BullmqRunner({
      databaseUrl: database.url,
      redisUrl: 'redis://127.0.0.1:1',
      done: () => {},
      onError: () => {},
      maxWaitMs: 300,
    });
    await expect(runner.add(tick, {})).rejects.toThrow('does not respond');
    await runner.stop();
  }, 10_000);
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}
