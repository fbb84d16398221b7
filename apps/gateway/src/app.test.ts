import { checkSettings, type Config, settingsFrom } from '@callsmith/config';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createApp } from './app.ts';

let app: NestFastifyApplication;

beforeAll(async () => {
  const settings = settingsFrom(checkSettings({ env: {}, file: {} }), import.meta.dirname);
  const config: Config = { ...settings, databaseUrl: 'postgresql://nobody@127.0.0.1:1/none', secretKey: 's'.repeat(32), root: import.meta.dirname };
  app = await createApp(config);
});

afterAll(() => app.close());

it('is alive without its database, but not ready', async () => {
  const alive = await app.inject({ url: '/healthz' });
  expect([alive.statusCode, alive.json()]).toEqual([200, { status: 'ok' }]);
  const ready = await app.inject({ url: '/readyz' });
  expect([ready.statusCode, ready.json()]).toEqual([503, { status: 'not ready', reasons: ['database is not reachable'] }]);
});
