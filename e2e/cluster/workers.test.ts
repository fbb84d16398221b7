import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Product, startProduct } from '../product.ts';
import { completion, type ModelServer, startModelServer } from './model-server.ts';

let server: ModelServer;
let product: Product;

beforeAll(async () => {
  server = await startModelServer({ fast: completion({ content: 'Done.' }) });
  product = await startProduct({ upstreamUrl: server.url, env: { WORKERS: '2' } });
});
afterAll(async () => {
  await product.stop();
  await server.close();
});

const workers = (): number[] =>
  readFileSync(`/proc/${product.pid}/task/${product.pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .map(Number)
    .filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('main.js'));

const ask = async (model = 'fast'): Promise<number> => {
  const reply = await fetch(`${product.url}/v1/chat/completions`, {
    method: 'POST',
    // A separate connection each time, so that both workers get some.
    headers: { 'content-type': 'application/json', authorization: `Bearer ${product.apiKey}`, connection: 'close' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Do it.' }] }),
  });
  await reply.text();
  return reply.status;
};

/** The sum of a metric's samples with a label, over all its other labels. */
const counted = async (metric: string, label = 'model="fast"'): Promise<number> => {
  const page = await (await fetch(`${product.url}/metrics`, { headers: { 'x-admin-key': product.adminKey } })).text();
  const samples = page.matchAll(new RegExp(`^${metric}\\{([^}]*)\\} (\\S+)$`, 'gm'));
  return [...samples].reduce((sum, [, labels, value]) => sum + (labels?.includes(label) ? Number(value) : 0), 0);
};

it.skipIf(process.platform !== 'linux')(
  'WORKERS=2: two processes share the port and their metrics; one that dies is replaced, and all end together',
  async () => {
    // Ready as soon as one of them is; a worker that ends before it serves would end the start.
    await expect.poll(() => product.printed(), { timeout: 20_000 }).toContain('Callsmith is ready.');
    expect(workers()).toHaveLength(2);
    for (let turn = 0; turn < 20; turn++) expect(await ask()).toBe(200);
    // A turn is counted a moment after its response.
    await expect.poll(() => counted('callsmith_turns_total')).toBe(20);
    expect(await counted('callsmith_request_seconds_count')).toBe(20);
    expect(await counted('callsmith_upstream_attempts_total', 'upstream=')).toBe(20);
    // Each request has the same tokens, so that their sum is a multiple.
    expect((await counted('callsmith_tokens_total')) % 20).toBe(0);
    expect(await counted('callsmith_tokens_total')).toBeGreaterThan(0);

    const [first] = workers() as [number];
    process.kill(first, 'SIGKILL');
    for (let tries = 0; tries < 100 && (workers().includes(first) || workers().length < 2); tries++) await sleep(100);
    expect(workers()).toHaveLength(2);
    for (let turn = 0; turn < 10; turn++) expect(await ask()).toBe(200);
  },
  60_000,
);

it('WORKERS=2: a pattern that an admin adds masks what either process records, within 5 s', async () => {
  const admin = { 'x-admin-key': product.adminKey, 'content-type': 'application/json' };
  const body = JSON.stringify({ name: 'Staff ids', begins: 'ACME-', follows: 'digits', atLeast: 6 });
  const added = await fetch(`${product.url}/api/redaction`, { method: 'POST', headers: admin, body });
  expect(added.status).toBe(200);
  await sleep(5_000);
  for (let turn = 0; turn < 20; turn++) expect(await ask(`ACME-2026112${turn}`)).toBe(404);
  const models = async (): Promise<string[]> => {
    const reply = await fetch(`${product.url}/api/failures?limit=100`, { headers: admin });
    return ((await reply.json()) as { items: { model: string }[] }).items.map(({ model }) => model);
  };
  for (let tries = 0; tries < 100 && (await models()).length < 20; tries++) await sleep(100);
  expect(new Set(await models())).toEqual(new Set(['•'.repeat(13), '•'.repeat(14)]));
}, 60_000);
