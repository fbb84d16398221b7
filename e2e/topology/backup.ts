import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startProduct } from '../product.ts';
import { startLoad } from './load.ts';
import type { Finding } from './scenarios.ts';
import { keyWith, type Site, until } from './site.ts';
import { program, rows } from './stores.ts';

/** Dumps the database while requests run, restores it completely and in part, and starts a gateway on each. */
export async function backupAndRestore(site: Site): Promise<Finding[]> {
  const folder = mkdtempSync(join(tmpdir(), 'callsmith-dump-'));
  try {
    const key = await keyWith(site, { requestsPerMinute: 100_000 });
    const load = startLoad(site.balancer.url, key, { streams: 4, seconds: 3 });
    await until('some requests are recorded', 30, async () => (await recorded(site.postgres.url)) > 50);
    const file = join(folder, 'callsmith.dump');
    const text = join(folder, 'callsmith.sql');
    run('pg_dump', ['-Fc', '-f', file, site.postgres.url]);
    run('pg_dump', ['-f', text, site.postgres.url]);
    await load.end();
    return [
      await whole(site, file, key),
      await wrongKey(site, file),
      ...(await Promise.all([cut(site, 0.2), cut(site, 0.6), cut(site, 0.95)].map((one) => one(text, folder)))),
      await withoutTable(site, file),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const run = (name: string, args: readonly string[]) => execFileSync(program(name), args, { stdio: 'pipe' });

const recorded = async (url: string): Promise<number> =>
  Number((await rows(url, 'SELECT count(*) AS n FROM turn'))[0]?.n);

let made = 0;

/** A new database on the site's server. */
async function newDatabase({ postgres }: Site): Promise<string> {
  const name = `restored_${++made}`;
  await rows(postgres.url, `CREATE DATABASE ${name}`);
  const url = new URL(postgres.url);
  url.pathname = `/${name}`;
  return url.href;
}

const restore = (url: string, file: string, args: readonly string[] = []) =>
  run('pg_restore', ['--exit-on-error', '--single-transaction', ...args, '-d', url, file]);

const gatewayOn = (site: Site, url: string, env: Record<string, string> = {}) =>
  startProduct({ env: { ...site.env, REDIS_URL: '', DATABASE_URL: url, ...env } });

async function whole(site: Site, file: string, key: string): Promise<Finding> {
  const url = await newDatabase(site);
  restore(url, file);
  const kept = await recorded(url);
  const product = await gatewayOn(site, url);
  const reply = await fetch(`${product.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
  await product.stop();
  return {
    what: '`pg_dump` while requests run, restored, and a gateway started on it',
    seen: `${kept} requests in the record; a request with a key from the backup gets ${reply.status}`,
    problems: reply.status === 200 && kept > 50 ? [] : ['the restored database does not serve'],
  };
}

async function wrongKey(site: Site, file: string): Promise<Finding> {
  const url = await newDatabase(site);
  restore(url, file);
  return refused(
    'the same with another `SECRET_KEY`',
    /SECRET_KEY is not the key that this database was set up with/,
    () => gatewayOn(site, url, { SECRET_KEY: 'another-secret-key-than-the-one-before-01234' }),
  );
}

/** The first part of a dump in SQL, up to the primary keys. */
const cut = (site: Site, share: number) => async (text: string, folder: string) => {
  const dump = readFileSync(text, 'utf8');
  const part = join(folder, `${share}.sql`);
  writeFileSync(part, dump.slice(0, dump.lastIndexOf('PRIMARY KEY') * share));
  const url = await newDatabase(site);
  run('psql', ['-q', '-f', part, url]);
  return refused(`a restore that ended after ${share * 100} % of the dump`, /holds a part of a backup/, () =>
    gatewayOn(site, url),
  );
};

async function withoutTable(site: Site, file: string): Promise<Finding> {
  const url = await newDatabase(site);
  restore(url, file);
  await rows(url, 'DROP TABLE mcp_grant');
  return refused('a restore without one table', /the table mcp_grant is missing/, () => gatewayOn(site, url));
}

async function refused(what: string, message: RegExp, start: () => ReturnType<typeof startProduct>): Promise<Finding> {
  try {
    const product = await start();
    await product.stop();
    return { what, seen: 'the gateway started', problems: [`${what}: the gateway started`] };
  } catch (error) {
    const text = (error as Error).message;
    const matches = message.exec(text) !== null;
    return {
      what,
      seen: matches ? 'the start is refused with a message' : 'the start fails',
      problems: matches ? [] : [`${what}: ${text.slice(-300)}`],
    };
  }
}
