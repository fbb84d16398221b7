import { forwarder } from '@callsmith/testing';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createApp } from '../app.ts';
import { adminKey, startTestGateway, type TestGateway } from './test-gateway.ts';

let first: TestGateway;
let second: NestFastifyApplication;
let line: Awaited<ReturnType<typeof forwarder>>;

beforeAll(async () => {
  first = await startTestGateway();
  line = await forwarder(first.config.databaseUrl);
  second = await createApp({ ...first.config, databaseUrl: line.url });
});
afterAll(async () => {
  await second.close();
  await line.stop();
  await first.stop();
});

const ask = (url: string, headers: Record<string, string> = { 'x-admin-key': adminKey }) =>
  second.inject({ url, headers });

async function within5s(holds: () => Promise<boolean>): Promise<void> {
  const began = Date.now();
  while (!(await holds())) {
    if (Date.now() - began > 5_000) throw new Error('not within 5 s');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

it('security 7: a key that one gateway revokes stops working at the other within 5 s', async () => {
  const as = first.cookies.admin;
  const { body } = await first.send('POST', '/api/keys', { as, body: { teamId: first.teams.own, holder: 'Ann' } });
  const works = async () => (await ask('/v1/models', { authorization: `Bearer ${body.secret}` })).statusCode === 200;
  await within5s(works);
  await first.send('DELETE', `/api/keys/${body.key.id}`, { as });
  await within5s(async () => !(await works()));
});

it('a strategy that one gateway sets takes effect at the other within 5 s', async () => {
  await first.send('PATCH', '/api/models/demo-native', { as: first.cookies.admin, body: { strategy: 'prompt' } });
  await within5s(async () => (await ask('/api/models/demo-native')).json().inEffect.strategyUsed === 'prompt');
});

it('a trial that one gateway starts is visible at the other, whichever of them runs it', async () => {
  const url = '/api/models/demo-native/trials';
  const { body } = await first.send('POST', url, { as: first.cookies.admin, body: { strategy: 'native' } });
  const seen = async () => (await ask(`/api/trials/${body.id}`)).json();
  await within5s(async () => (await seen()).state === 'done');
  // No model server runs here.
  const codes = (await seen()).rows.map((row: { new: { errorCode: string } }) => row.new.errorCode);
  expect(codes).toHaveLength(3);
  expect(codes[0]).toBe('upstream_unreachable');
});

it('a session of one gateway is valid at the other', async () => {
  expect((await ask('/api/session', { cookie: first.cookies.viewer })).json().user.email).toBe('viewer@example.com');
});

it('security 23: sign-in attempts are counted once for both', async () => {
  const payload = { email: 'guessed@example.com', password: 'guess-guess' };
  const statuses: number[] = [];
  for (let n = 0; n < 7; n++) {
    statuses.push((await first.send('POST', '/api/session', { body: payload })).status);
    statuses.push((await second.inject({ method: 'POST', url: '/api/session', payload })).statusCode);
  }
  expect(statuses.slice(0, 10).every((status) => status === 401)).toBe(true);
  expect(statuses.slice(10).every((status) => status === 429)).toBe(true);
});

it('while the database is unreachable the admin API says so, and recovers automatically', async () => {
  line.cut();
  const away = await ask('/api/keys');
  expect([away.statusCode, away.json().error.code]).toEqual([503, 'store_unavailable']);
  const write = await second.inject({
    method: 'POST',
    url: '/api/teams',
    headers: { 'x-admin-key': adminKey },
    payload: { name: 'never' },
  });
  expect(write.json().error.code).toBe('store_unavailable');
  line.restore();
  await within5s(async () => (await ask('/api/keys')).statusCode === 200);
});
