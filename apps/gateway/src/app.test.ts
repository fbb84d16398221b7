import { fileURLToPath } from 'node:url';
import { type Config, checkSettings, settingsFrom } from '@callsmith/config';
import { testDatabase } from '@callsmith/testing';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createApp } from './app.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

let app: NestFastifyApplication;
let database: Awaited<ReturnType<typeof testDatabase>>;

beforeAll(async () => {
  database = await testDatabase();
  const settings = settingsFrom(checkSettings({ env: {}, file: {} }), root);
  const config: Config = { ...settings, databaseUrl: database.url, secretKey: 's'.repeat(32), root };
  app = await createApp(config);
});

afterAll(() => app.close());

it('is ready with its database; without, it is alive but not ready', async () => {
  const ready = await app.inject({ url: '/readyz' });
  expect([ready.statusCode, ready.json()]).toEqual([200, { status: 'ready', reasons: [] }]);
  await database.stop();
  const alive = await app.inject({ url: '/healthz' });
  expect([alive.statusCode, alive.json()]).toEqual([200, { status: 'ok' }]);
  const away = await app.inject({ url: '/readyz' });
  expect([away.statusCode, away.json()]).toEqual([
    503,
    { status: 'not ready', reasons: ['database is not reachable'] },
  ]);
});
