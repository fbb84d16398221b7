import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@callsmith/data/embedded';
import { forwarder, NEEDS_REDIS } from '@callsmith/testing';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort, type Product, startProduct } from '../product.ts';
import { chunk, completion, json, type ModelServer, startModelServer } from './model-server.ts';

/** Each turn of `fast` uses as many tokens as it reserves: 10 for the prompt of `ask`, 490 for the answer. */
const spent = { prompt_tokens: 10, completion_tokens: 490 };
const held: ServerResponse[] = [];
/** A model that refuses a request, and makes a call if a tool is offered. */
function refusing(refuses: (body: Record<string, unknown>) => boolean, message: string) {
  const call = { id: 'c1', type: 'function', function: { name: 'read', arguments: '{"path":"a"}' } };
  return (response: ServerResponse, request: { body: string }): void => {
    const body = JSON.parse(request.body) as Record<string, unknown>;
    if (refuses(body)) json(400, { error: { message } })(response);
    else if (body.tools === undefined) completion({ content: 'Done.' })(response);
    else completion({ content: null, tool_calls: [call] }, 'tool_calls')(response);
  };
}
const models = {
  fast: completion({ content: 'Done.' }, 'stop', spent),
  'no-tools': refusing(({ tools }) => tools !== undefined, 'this model does not support tools'),
  'no-seed': refusing(
    ({ seed }) => seed !== undefined,
    "Unsupported parameter: 'seed' is not supported with this model.",
  ),
  'no-choice-of-one': refusing(
    ({ tool_choice }) => typeof tool_choice === 'object',
    "Invalid tool_choice type: 'object'. Supported string values: none, auto, required",
  ),
  'no-pattern': refusing(
    (body) => JSON.stringify(body).includes('"pattern":'),
    'The provided JSON schema contains features not supported by xgrammar.',
  ),
  'one-system': refusing(
    ({ messages }) =>
      (messages as { role: string }[]).slice(1).some(({ role }) => role === 'system' || role === 'developer'),
    'Error rendering prompt with jinja template: "System message must be at the beginning."',
  ),
  slow: (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(chunk({ role: 'assistant', content: 'Wait' }));
    held.push(response);
  },
};

let folder: string;
let postgres: EmbeddedPostgres;
let line: Awaited<ReturnType<typeof forwarder>>;
let server: ModelServer;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'callsmith-cluster-'));
  chmodSync(folder, 0o755); // as root, the database server runs under another account
  postgres = await startEmbeddedPostgres(folder);
  line = await forwarder(postgres.url);
  server = await startModelServer(models);
});
afterAll(async () => {
  await server.close();
  await line.stop();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Two gateways on one database. */
async function startTwo(env: Record<string, string>): Promise<readonly [Product, Product]> {
  const start = () =>
    startProduct({
      upstreamUrl: server.url,
      env: { DATABASE_URL: line.url, SECRET_KEY: 'a-secret-key-of-the-cluster-tests-0123456789', ...env },
    });
  return [await start(), await start()];
}

const admin = async (product: Product, method: string, path: string, body?: object) => {
  const reply = await fetch(`${product.url}${path}`, {
    method,
    headers: { 'x-admin-key': product.adminKey, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${await reply.text()}`);
  // biome-ignore lint/suspicious/noExplicitAny: responses of every shape
  return (await reply.json()) as any;
};

const post = (product: Product, key: string, body: object) =>
  fetch(`${product.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify(body),
  });

const messages = [{ role: 'user', content: 'Do the small thing, now.' }];
const ask = async (product: Product, key: string) => {
  const reply = await post(product, key, { model: 'fast', messages, max_tokens: 490 });
  return { status: reply.status, headers: reply.headers, text: await reply.text() };
};

/** Issues a key at the first gateway, and waits until the second knows it too. */
async function keyWith([first, second]: readonly [Product, Product], terms: object) {
  const { items } = await admin(first, 'GET', '/api/teams');
  const { key, secret } = await admin(first, 'POST', '/api/keys', { teamId: items[0].id, holder: 'tests', ...terms });
  const models = () => fetch(`${second.url}/v1/models`, { headers: { authorization: `Bearer ${secret}` } });
  await within(5_000, async () => (await models()).status === 200);
  return { id: key.id as string, secret: secret as string };
}

/** Waits until a condition holds; throws if it does not in time. */
async function within(ms: number, holds: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + ms; ; await sleep(50)) {
    if (await holds()) return;
    if (Date.now() > end) throw new Error(`did not come to hold within ${ms} ms`);
  }
}

/** Waits for a minute with enough time left for a test, so that it counts in one window. */
async function freshMinute(needMs: number): Promise<void> {
  const leftMs = 60_000 - (Date.now() % 60_000);
  if (leftMs < needMs) await sleep(leftMs + 50);
}

const gauge = async (product: Product, name: string): Promise<number> => {
  const reply = await fetch(`${product.url}/metrics`, { headers: { 'x-admin-key': product.adminKey } });
  return Number(new RegExp(`^${name} (.*)$`, 'm').exec(await reply.text())?.[1]);
};

const readiness = async (product: Product) => {
  const reply = await fetch(`${product.url}/readyz`);
  return { status: reply.status, body: (await reply.json()) as { status: string; reasons: string[] } };
};

async function turnsWritten(): Promise<number> {
  const client = new pg.Client({ connectionString: line.url });
  await client.connect();
  const { rows } = await client.query<{ n: string }>('SELECT count(*) AS n FROM turn');
  await client.end();
  return Number(rows[0]?.n);
}

/** Sends turns one after the other at both gateways until stopped; returns every status. */
function load(pair: readonly [Product, Product], key: string): () => Promise<number[]> {
  const statuses: number[] = [];
  let ended = false;
  const workers = [...pair, ...pair].map(async (product) => {
    while (!ended) {
      statuses.push(
        await ask(product, key).then(
          ({ status }) => status,
          () => 0,
        ),
      );
      await sleep(20);
    }
  });
  return async () => {
    ended = true;
    await Promise.all(workers);
    return statuses;
  };
}

const countOf = (statuses: readonly number[], status: number) => statuses.filter((one) => one === status).length;

/** What must hold wherever limits are counted. */
function countsOnce(pair: () => readonly [Product, Product]): void {
  it('D-30 requests per minute are counted once for both', async () => {
    const { secret } = await keyWith(pair(), { requestsPerMinute: 20 });
    await freshMinute(8_000);
    const statuses: number[] = [];
    for (let round = 0; round < 25; round++)
      statuses.push(...(await Promise.all(pair().map((product) => ask(product, secret)))).map(({ status }) => status));
    expect(countOf(statuses, 200)).toBeLessThanOrEqual(20);
    expect(countOf(statuses, 200)).toBeGreaterThanOrEqual(10);
    expect(countOf(statuses, 200) + countOf(statuses, 429)).toBe(50);
  });

  it('D-30 concurrent streams are counted once for both, and slots are released', async () => {
    const { secret } = await keyWith(pair(), { concurrentStreams: 3 });
    const [first, second] = pair();
    const openOne = (product: Product) => post(product, secret, { model: 'slow', messages, stream: true });
    const opened = await Promise.all([first, second, first, second, first, second].map(openOne));
    expect(
      countOf(
        opened.map(({ status }) => status),
        200,
      ),
    ).toBe(3);
    expect(
      countOf(
        opened.map(({ status }) => status),
        429,
      ),
    ).toBe(3);
    for (const response of held.splice(0)) response.end(`${chunk({}, 'stop')}data: [DONE]\n\n`);
    await Promise.all(opened.map((reply) => reply.text()));
    await within(5_000, async () => {
      const next = await openOne(second);
      for (const response of held.splice(0)) response.end(`${chunk({}, 'stop')}data: [DONE]\n\n`);
      await next.text();
      return next.status === 200;
    });
  });

  it('security 26 a hundred concurrent calls at two gateways spend a budget once', async () => {
    const { secret } = await keyWith(pair(), { tokenBudget: 10_000, budgetPeriod: 'day' });
    const replies = await Promise.all(Array.from({ length: 100 }, (_, n) => ask(pair()[n % 2 === 0 ? 0 : 1], secret)));
    const statuses = replies.map(({ status }) => status);
    expect(countOf(statuses, 200) * 500).toBeLessThanOrEqual(10_000);
    expect(countOf(statuses, 200)).toBeGreaterThanOrEqual(10);
    expect(countOf(statuses, 200) + countOf(statuses, 403)).toBe(100);
    const refused = replies.find(({ status }) => status === 403);
    expect(refused?.text).toContain('insufficient_quota');
    expect([refused?.headers.get('retry-after'), refused?.headers.get('x-should-retry')]).toEqual([null, 'false']);
  });
}

describe('two gateways on one Postgres', () => {
  let pair: readonly [Product, Product];
  beforeAll(async () => {
    pair = await startTwo({});
  }, 120_000);
  afterAll(async () => {
    await Promise.all(pair.map((product) => product.stop()));
  });

  it('security 7 a key revoked at one is refused by the other within 5 s', async () => {
    const { id, secret } = await keyWith(pair, {});
    expect((await ask(pair[1], secret)).status).toBe(200);
    await admin(pair[0], 'DELETE', `/api/keys/${id}`);
    await within(5_000, async () => (await ask(pair[1], secret)).status === 401);
  });

  it('a strategy changed at one takes effect at the other within 5 s', async () => {
    const tools = [{ type: 'function', function: { name: 'read', parameters: { type: 'object' } } }];
    const strategyUsed = async () => {
      const reply = await post(pair[1], pair[1].apiKey, { model: 'fast', messages, tools });
      await reply.text();
      return reply.headers.get('x-callsmith-strategy');
    };
    expect(await strategyUsed()).toBe('native');
    await pair[0].changeModel('fast', { strategy: 'prompt', reason: 'test' });
    await within(5_000, async () => (await strategyUsed()) === 'prompt');
  });

  const properties = { path: { type: 'string', pattern: '^[a-z]+$' } };
  const tools = [{ type: 'function', function: { name: 'read', parameters: { type: 'object', properties } } }];
  it.each([
    ['that it takes no tools', 'no-tools', { tools }],
    ['a parameter that it refuses', 'no-seed', { seed: 7 }],
    [
      'a tool_choice that it refuses',
      'no-choice-of-one',
      { tools, tool_choice: { type: 'function', function: { name: 'read' } } },
    ],
    ['schemas of which it makes no grammar', 'no-pattern', { tools }],
    [
      'messages that its template refuses',
      'one-system',
      { messages: [...messages, { role: 'system', content: 'Be brief.' }, ...messages] },
    ],
  ])('what one learns about a model applies at the other: %s', async (_, model, body) => {
    const requests = async (product: Product) => {
      const before = server.received.length;
      const reply = await post(product, product.apiKey, { model, messages, ...body });
      expect([reply.status, await reply.text()]).toEqual([200, expect.any(String)]);
      return server.received.length - before;
    };
    expect(await requests(pair[0])).toBe(2);
    await within(5_000, async () => (await requests(pair[1])) === 1);
  });

  countsOnce(() => pair);

  it('Postgres stopped and started under load: turns continue, /readyz reports it, the record waits and recovers', async () => {
    const { id } = await keyWith(pair, {});
    const before = await turnsWritten();
    const end = load(pair, pair[0].apiKey);
    await sleep(500);
    line.cut();
    await postgres.stop();
    await within(5_000, async () => (await readiness(pair[0])).body.status === 'degraded');
    expect(await readiness(pair[1])).toEqual({
      status: 200,
      body: { status: 'degraded', reasons: ['the database is unreachable: keys and models are served from memory'] },
    });
    await within(15_000, async () => (await gauge(pair[1], 'callsmith_database_away')) === 1);
    expect(await gauge(pair[0], 'callsmith_record_queue')).toBeGreaterThan(0);
    postgres = await startEmbeddedPostgres(folder);
    line.restore(postgres.url);
    await within(15_000, async () => (await readiness(pair[0])).body.status === 'ready');
    const statuses = await end();
    expect(statuses.length).toBeGreaterThan(50);
    expect(countOf(statuses, 200)).toBe(statuses.length);
    await within(15_000, async () => (await turnsWritten()) >= before + statuses.length);
    expect([await gauge(pair[0], 'callsmith_record_lost'), await gauge(pair[1], 'callsmith_record_lost')]).toEqual([
      0, 0,
    ]);
    await within(5_000, async () => (await gauge(pair[1], 'callsmith_database_away')) === 0);
    // Changes reach the other again.
    await admin(pair[0], 'PATCH', `/api/keys/${id}`, { holder: 'still here' });
    const { id: after, secret } = await keyWith(pair, {});
    await admin(pair[0], 'DELETE', `/api/keys/${after}`);
    await within(5_000, async () => (await ask(pair[1], secret)).status === 401);
  }, 60_000);
});

const hasRedis = spawnSync('redis-server', ['--version']).status === 0;

describe.skipIf(!hasRedis)(`two gateways on one Postgres and one Redis (${NEEDS_REDIS})`, () => {
  let pair: readonly [Product, Product];
  let redis: ChildProcess;
  let port: number;
  const startRedis = () =>
    spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'], {
      stdio: 'ignore',
    });
  beforeAll(async () => {
    port = await freePort();
    redis = startRedis();
    pair = await startTwo({ REDIS_URL: `redis://127.0.0.1:${port}` });
  }, 120_000);
  afterAll(async () => {
    await Promise.all(pair.map((product) => product.stop()));
    redis.kill();
  });

  countsOnce(() => pair);

  it('Redis stopped and started under load: turns continue, /readyz, status and metric report it, everything recovers', async () => {
    const { secret } = await keyWith(pair, { requestsPerMinute: 100_000 });
    const end = load(pair, secret);
    await sleep(500);
    redis.kill('SIGKILL');
    await within(5_000, async () => (await readiness(pair[0])).body.reasons.length === 1);
    expect(await readiness(pair[1])).toEqual({
      status: 200,
      body: {
        status: 'degraded',
        reasons: ['Redis is unreachable: for a limited time each gateway enforces limits on its own'],
      },
    });
    expect((await admin(pair[0], 'GET', '/api/status')).redis).toMatchObject({ ok: false });
    expect(await gauge(pair[0], 'callsmith_redis_away')).toBe(1);
    await sleep(1_000);
    redis = startRedis();
    await within(10_000, async () => (await readiness(pair[0])).body.reasons.length === 0);
    const statuses = await end();
    expect(statuses.length).toBeGreaterThan(20);
    expect(countOf(statuses, 200)).toBe(statuses.length);
  }, 60_000);
});
