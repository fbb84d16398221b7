import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Config, checkSettings, settingsFrom } from '@callsmith/config';
import { PrismaService } from '@callsmith/data/database';
import { PostgresConfigSnapshot } from '@callsmith/data/snapshot';
import { type Simulator, startSimulator } from '@callsmith/simulator';
import { testDatabase } from '@callsmith/testing';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import OpenAI from 'openai';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createApp } from '../../app.ts';
import { seedTables } from '../../boot/seed-tables.ts';

const apiKey = 'sk-stores-test-0123456789';
const adminKey = 'admin-key-of-the-stores-test';

let simulator: Simulator;
let app: NestFastifyApplication;
let prisma: PrismaService;
let root: string;
let url: string;
let openai: OpenAI;

beforeAll(async () => {
  simulator = await startSimulator({ models: ['sim-native', 'sim-refuses-tools'] });
  const database = await testDatabase();
  root = mkdtempSync(join(tmpdir(), 'proxy-'));
  writeFileSync(join(root, 'package.json'), '{"version":"0.0.0"}');
  symlinkSync(join(import.meta.dirname, '../../../../../prisma'), join(root, 'prisma'));
  const env = { API_KEY: apiKey, ADMIN_KEY: adminKey, UPSTREAM_URL: simulator.url, DATA_DIR: root };
  const config: Config = {
    ...settingsFrom(checkSettings({ env, file: {} }), root),
    databaseUrl: database.url,
    secretKey: 'stores-test-secret-key-0123456789abcdef',
    root,
  };
  await seedTables(config, undefined);
  app = await createApp(config);
  await app.listen(0, '127.0.0.1');
  url = await app.getUrl();
  prisma = app.get(PrismaService, { strict: false });
  openai = new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 });
});

afterAll(async () => {
  await app.close();
  await simulator.close();
  rmSync(root, { recursive: true });
});

const ask = (model: string) =>
  openai.chat.completions
    .create({
      model,
      messages: [{ role: 'user', content: 'Read the file hello.txt' }],
      tools: [
        {
          type: 'function',
          function: {
            name: 'read_file',
            parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
          },
        },
      ],
    })
    .withResponse();

const rowOf = async (requestId: string | null) => {
  for (let n = 0; n < 100; n++) {
    const row = await prisma.turn.findFirst({ where: { requestId: requestId ?? '' } });
    if (row) return row;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`no row for ${requestId}`);
};

it('models of the upstream appear, turns become rows with their calls and bodies', async () => {
  const models = await openai.models.list();
  expect(models.data.map(({ id }) => id)).toEqual(['sim-native', 'sim-refuses-tools']);
  const { data, response } = await ask('sim-native');
  expect(data.choices[0]?.finish_reason).toBe('tool_calls');
  const row = await rowOf(response.headers.get('x-request-id'));
  expect(row).toMatchObject({ model: 'sim-native', outcome: 'clean', strategyUsed: 'native', calls: 1, status: 200 });
  const [call] = await prisma.call.findMany({ where: { turnId: row.id } });
  expect(call).toMatchObject({ tool: 'read_file', outcome: 'clean' });
});

it('an unknown route is an error in OpenAI’s form, at any path', async () => {
  for (const path of ['/nothing', '/v1/nothing', '/api/nothing']) {
    const reply = await fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    expect([path, reply.status, await reply.json()]).toMatchObject([path, 404, { error: { code: 'not_found' } }]);
  }
});

it('auto retreats, what it learned is kept, and a strategy switch applies from the next request on', async () => {
  const first = await ask('sim-refuses-tools');
  expect(first.data.choices[0]?.finish_reason).toBe('tool_calls');
  expect(first.response.headers.get('x-callsmith-strategy')).toBe('prompt');
  const row = await rowOf(first.response.headers.get('x-request-id'));
  expect(row).toMatchObject({ attempts: 2, strategy: 'auto', strategyUsed: 'prompt', dialect: expect.any(String) });
  for (let n = 0; n < 100 && (await prisma.learned.count()) === 0; n++)
    await new Promise((resolve) => setTimeout(resolve, 20));
  expect(await prisma.learned.findFirst()).toMatchObject({ what: 'native-tools', value: 'false' });
  const switched = await fetch(`${url}/api/models/sim-refuses-tools`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json', 'x-admin-key': adminKey },
    body: JSON.stringify({ strategy: 'native', reason: 'test' }),
  });
  expect(switched.status).toBe(200);
  await expect(ask('sim-refuses-tools')).rejects.toMatchObject({ status: 400 });
});

it('security 5 D-30 a key’s limits apply, whichever header it comes in', async () => {
  const { id } = await prisma.apiKey.findFirstOrThrow({ where: { kind: 'env' } });
  await prisma.apiKey.update({ where: { id }, data: { requestsPerMinute: 2 } });
  await app.get(PostgresConfigSnapshot, { strict: false }).refresh();
  // Requests are counted by the minute of the clock: all four belong into the same one.
  const left = 60_000 - (Date.now() % 60_000);
  if (left < 5_000) await new Promise((resolve) => setTimeout(resolve, left + 100));
  const statuses: number[] = [];
  let last: Response | undefined;
  for (const headers of [
    { authorization: `Bearer ${apiKey}` },
    { 'x-api-key': apiKey },
    { 'api-key': apiKey },
    { authorization: apiKey },
  ]) {
    last = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ model: 'sim-native', messages: [{ role: 'user', content: 'Hello' }] }),
    });
    statuses.push(last.status);
  }
  await prisma.apiKey.update({ where: { id }, data: { requestsPerMinute: null } });
  await app.get(PostgresConfigSnapshot, { strict: false }).refresh();
  expect(statuses).toEqual([200, 200, 429, 429]);
  expect(Number(last?.headers.get('retry-after'))).toBeGreaterThan(0);
});

it('D-29 a stored response is found in the store, and is encrypted there', async () => {
  const first = await openai.responses.create({ model: 'sim-native', input: 'My word is xylophone.' });
  for (let n = 0; n < 100 && (await prisma.responseState.count()) === 0; n++)
    await new Promise((resolve) => setTimeout(resolve, 20));
  const row = await prisma.responseState.findUniqueOrThrow({ where: { id: first.id } });
  expect(Buffer.from(row.ciphertext, 'base64url').toString('latin1')).not.toContain('xylophone');
  expect(await openai.responses.retrieve(first.id)).toMatchObject({ id: first.id, status: 'completed' });
  const second = await openai.responses.create({
    model: 'sim-native',
    input: 'Go on.',
    previous_response_id: first.id,
  });
  expect(second.previous_response_id).toBe(first.id);
});
