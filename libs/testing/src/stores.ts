import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { inject } from 'vitest';

/** Addresses of the stores that the test run started, or was given. */
export interface Stores {
  /** An empty, migrated database: the template of the tests' databases. */
  readonly postgres: string;
  /** Undefined: there is no Redis here. */
  readonly redis: string | undefined;
}

declare module 'vitest' {
  export interface ProvidedContext {
    stores: Stores;
  }
}

/** A separate migrated Postgres database; `stop` removes it. */
export async function testDatabase(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const template = new URL(inject('stores').postgres);
  const name = `test_${randomBytes(8).toString('hex')}`;
  await administer(template, `CREATE DATABASE ${name} TEMPLATE "${template.pathname.slice(1)}"`);
  const url = new URL(template);
  url.pathname = `/${name}`;
  return { url: url.href, stop: () => removed(template, name) };
}

const maxWaitMs = 5_000;

/** Waits for closing connections: cutting them would cause unhandled errors. */
async function removed(template: URL, name: string): Promise<void> {
  for (const start = Date.now(); Date.now() - start < maxWaitMs; await sleep(20)) {
    const [row] = await administer(
      template,
      `SELECT count(*)::int AS open FROM pg_stat_activity WHERE datname = '${name}'`,
    );
    if (row?.open === 0) break;
  }
  await administer(template, `DROP DATABASE ${name} WITH (FORCE)`);
}

/**
 * Address of a Redis for tests; undefined: there is none, and tests that need one must be skipped by `describe.skipIf`.
 */
export const testRedis = (): string | undefined => inject('stores').redis;

/** The suffix of a test's name that is skipped without a Redis. */
export const NEEDS_REDIS = 'needs a Redis: apt-get install redis-server (it need not run), or set REDIS_URL';

async function administer(template: URL, statement: string): Promise<Record<string, unknown>[]> {
  const url = new URL(template);
  url.pathname = '/postgres';
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end();
  }
}
