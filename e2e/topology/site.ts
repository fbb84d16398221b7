import { setTimeout as sleep } from 'node:timers/promises';
import { type Simulator, startSimulator } from '@callsmith/simulator';
import { freePort, type Product, startProduct } from '../product.ts';
import { type Balancer, balancers } from './balancers.ts';
import { loadModels } from './load.ts';
import { type Store, startPostgres, startRedis } from './stores.ts';

/** Two gateways behind a load balancer, with everything they need. */
export interface Site {
  readonly balancer: Balancer;
  readonly gateways: [Gateway, Gateway];
  readonly postgres: Store;
  readonly redis: Store;
  /** The settings of both gateways. */
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** A gateway that can be restarted on its port. */
export interface Gateway {
  readonly port: number;
  readonly product: Product;
  start(): Promise<void>;
  /** Sends SIGTERM, and waits until it has ended: returns how many seconds that took. */
  stop(): Promise<number>;
  kill(): Promise<void>;
}

const adminKey = 'admin-key-of-the-tests';

/** Starts everything, with an empty database. `roots`: the checkouts whose builds run; default: this one, twice. */
export async function startSite(
  balancer: keyof typeof balancers,
  roots: readonly [string | undefined, string | undefined] = [undefined, undefined],
): Promise<Site> {
  const simulator = await startSimulator({ models: loadModels });
  const [postgres, redis] = [await startPostgres(), await startRedis()];
  const env = {
    DATABASE_URL: postgres.url,
    REDIS_URL: redis.url,
    SECRET_KEY: 'a-secret-key-of-the-cluster-tests-0123456789',
    DRAIN_DELAY_SECONDS: '5',
  };
  // One after the other: the first one migrates.
  const first = await gateway(simulator, env, roots[0]);
  const second = await gateway(simulator, env, roots[1]);
  const front = await balancers[balancer]([first.port, second.port]);
  return {
    balancer: front,
    gateways: [first, second],
    postgres,
    redis,
    env,
    async stop() {
      await front.stop();
      await Promise.all([first.stop(), second.stop()]);
      await Promise.all([simulator.close(), postgres.remove(), redis.remove()]);
    },
  };
}

async function gateway(simulator: Simulator, env: Record<string, string>, root: string | undefined): Promise<Gateway> {
  const port = await freePort();
  const launch = () => startProduct({ upstreamUrl: simulator.url, env, port, ...(root !== undefined && { root }) });
  let product = await launch();
  return {
    port,
    get product() {
      return product;
    },
    async start() {
      product = await launch();
    },
    async stop() {
      const from = performance.now();
      await product.stop();
      return (performance.now() - from) / 1000;
    },
    kill: () => product.kill(),
  };
}

/** Calls a gateway's admin API. Throws if it refuses. */
export async function admin(gateway: Gateway, method: string, path: string, body?: object) {
  const reply = await fetch(`${gateway.product.url}${path}`, {
    method,
    headers: { 'x-admin-key': adminKey, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${await reply.text()}`);
  // biome-ignore lint/suspicious/noExplicitAny: responses of every shape
  return (await reply.json()) as any;
}

/** Issues a key at the first gateway and waits until the second knows it; returns its secret. */
export async function keyWith({ gateways: [first, second] }: Site, terms: object): Promise<string> {
  const { items } = await admin(first, 'GET', '/api/teams');
  const { secret } = await admin(first, 'POST', '/api/keys', { teamId: items[0].id, holder: 'load', ...terms });
  const listModels = () => fetch(`${second.product.url}/v1/models`, { headers: { authorization: `Bearer ${secret}` } });
  await until('the second gateway knows a new key', 10, async () => (await listModels()).status === 200);
  return secret as string;
}

/** Seconds until a condition holds. Throws if it does not in time; an exception counts as not yet. */
export async function until(what: string, seconds: number, holds: () => Promise<boolean>): Promise<number> {
  for (const from = performance.now(); ; await sleep(100)) {
    if (await holds().catch(() => false)) return (performance.now() - from) / 1000;
    if (performance.now() - from > seconds * 1000) throw new Error(`${what}: not within ${seconds} s`);
  }
}

/** The response of a gateway's `/readyz`. */
export async function readiness({ product }: Gateway): Promise<string> {
  return ((await (await fetch(`${product.url}/readyz`)).json()) as { status: string }).status;
}

/** A metric of a gateway's `/metrics`, summed over its labels. */
export async function metric({ product }: Gateway, name: string): Promise<number> {
  const text = await (await fetch(`${product.url}/metrics`, { headers: { 'x-admin-key': adminKey } })).text();
  return [...text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'))].reduce(
    (sum, [, value]) => sum + Number(value),
    0,
  );
}
