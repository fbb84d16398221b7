import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../test-gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

it('a fallback is another model that exists', async () => {
  const as = gateway.cookies.admin;
  const change = (fallback: object[] | null) =>
    gateway.send('PATCH', '/api/models/demo-text', { as, body: { fallback } });
  const wrong = await change([
    { model: 'demo-native', on: 'outage' },
    { model: 'demo-text', on: 'context' },
    { model: 'nowhere', on: 'context' },
  ]);
  expect(wrong.body.error.fields.map(({ path }: { path: string }) => path)).toEqual([
    'fallback[1].model',
    'fallback[2].model',
  ]);
  const set = await change([{ model: 'demo-native', on: 'outage' }]);
  expect(set.body.fallback).toEqual({ value: [{ model: 'demo-native', on: 'outage' }], source: 'declared' });
  expect((await change(null)).body.fallback).toBeNull();
});

it('a price is checked, shown with its source and removed', async () => {
  const as = gateway.cookies.admin;
  const change = (body: object) => gateway.send('PATCH', '/api/models/demo-text', { as, body });
  expect((await change({ price: { input: -1, output: 2 } })).body.error.param).toBe('price.input');
  expect((await change({ price: { input: 1 } })).body.error.param).toBe('price.output');
  const set = await change({ price: { input: 0.15, output: 0.6 } });
  expect(set.body.price).toEqual({ value: { input: 0.15, output: 0.6 }, source: 'declared' });
  expect((await change({ price: null })).body.price).toBeNull();
});
