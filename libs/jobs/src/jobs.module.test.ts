import { PrismaService } from '@callsmith/data/database';
import { DataModule } from '@callsmith/data/module';
import { testDatabase } from '@callsmith/testing';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { JobsModule } from './jobs.module.ts';
import { PROBE_CLIENT, type ProbeClient } from './probe/probe-client.ts';
import { TRIAL_RUNNER, type TrialRunner } from './trial/trial-runner.ts';

/** A process without access to models. */
const noModels: TrialRunner = { tryRequest: () => Promise.reject(new Error('no model')) };

const asksNone: ProbeClient = {
  arms: () => ({ arms: [], inEffect: 0 }),
  ask: () => Promise.reject(new Error('no model')),
  support: () => Promise.reject(new Error('no model')),
};

@Module({
  providers: [
    { provide: TRIAL_RUNNER, useValue: noModels },
    { provide: PROBE_CLIENT, useValue: asksNone },
  ],
  exports: [TRIAL_RUNNER, PROBE_CLIENT],
})
class WithoutModels {}

let database: Awaited<ReturnType<typeof testDatabase>>;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.stop());

it('D-31 all jobs run beside the stores, with at most 12 connections in all, and everything stops', async () => {
  const databaseUrl = database.url;
  @Module({
    imports: [
      DataModule.forRoot({
        databaseUrl,
        secretKey: 'jobs-test-secret-key-0123456789abcdef',
        demo: undefined,
        currency: 'EUR',
        productVersion: '1.0.0',
        dialectOf: () => undefined,
      }),
      JobsModule.consumer({ databaseUrl, redisUrl: undefined }, [WithoutModels]),
    ],
  })
  class App {}
  const app = await NestFactory.createApplicationContext(App, { logger: false });
  const prisma = app.get(PrismaService);
  const days = () => prisma.$queryRaw<unknown[]>`SELECT 1 FROM pg_inherits WHERE inhparent = 'turn'::regclass`;
  for (let tries = 0; (await days()).length === 0; tries++) {
    if (tries > 500) throw new Error('make-days did not run');
    await new Promise((done) => setTimeout(done, 20));
  }
  await Promise.all(Array.from({ length: 40 }, () => prisma.$executeRaw`SELECT pg_sleep(0.05)`));
  const watcher = new pg.Client({ connectionString: databaseUrl });
  await watcher.connect();
  const others = async () => {
    const { rows } = await watcher.query(
      `SELECT application_name, state FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    );
    return rows.length;
  };
  expect(await others()).toBeLessThanOrEqual(12);
  const began = performance.now();
  await app.close();
  expect(performance.now() - began).toBeLessThan(3_000);
  await expect.poll(others, { timeout: 10_000 }).toBe(0);
  await watcher.end();
});
