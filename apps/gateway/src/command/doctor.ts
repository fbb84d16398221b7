import { mkdirSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { readSettings, type Settings, WrongSettings } from '@callsmith/config';
import { ApiError } from '@callsmith/contracts';
import { inspectDatabase } from '@callsmith/data/database';
import { runningEmbeddedPostgres } from '@callsmith/data/embedded';
import { inspectRedis } from '@callsmith/data/limits';
import { announcedUrl } from '../boot/instance.ts';
import { localUrl } from '../boot/urls.ts';
import { readConfigFile } from '../config-file/read-config-file.ts';
import { productVersion } from '../product-version.ts';
import type { Gateway } from './gateway.ts';

/** The result of one check. */
export interface DoctorCheck {
  readonly about: 'version' | 'settings' | 'disk' | 'database' | 'redis' | 'clock' | 'gateway' | 'address' | 'upstream';
  readonly state: 'ok' | 'warning' | 'problem';
  readonly say: string;
  /** What to do about it; null: nothing. */
  readonly advice: string | null;
}

/** What `doctor` needs for its checks. */
export interface DoctorParts {
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
  /** The running gateway; rejects if none answers. */
  readonly gateway: () => Promise<Gateway>;
}

/** Free disk space in bytes below which space should be made, and below which writes will fail soon. */
const LITTLE_DISK = 2e9;
const NO_DISK = 2e8;
/** With a larger clock difference sessions, links and budgets end at the wrong time. */
const CLOCK_MS = 2_000;
const OLDEST_POSTGRES = 140_000;
/** Redis before 6.2 lacks commands that jobs use. */
const OLDEST_REDIS = [6, 2] as const;

const ok = (about: DoctorCheck['about'], say: string): DoctorCheck => ({ about, state: 'ok', say, advice: null });
const warning = (about: DoctorCheck['about'], say: string, advice: string): DoctorCheck => ({
  about,
  state: 'warning',
  say,
  advice,
});
const problem = (about: DoctorCheck['about'], say: string, advice: string): DoctorCheck => ({
  about,
  state: 'problem',
  say,
  advice,
});

/** Checks versions, settings, disk, stores, clocks, the gateway, its address and its upstreams. Changes nothing. */
export async function examineInstallation({ root, env, gateway }: DoctorParts): Promise<DoctorCheck[]> {
  const version = ok('version', `Callsmith ${productVersion(root)} on Node.js ${process.versions.node}`);
  let settings: Settings;
  try {
    settings = readSettings(root, env);
  } catch (error) {
    if (!(error instanceof WrongSettings)) throw error;
    return [
      version,
      problem('settings', error.message, 'Correct them in .env or the environment; nothing else was checked.'),
    ];
  }
  const looks = await Promise.all([
    settingsLook(settings, env),
    diskLook(settings.dataDir),
    databaseLook(settings, root),
    redisLook(settings.redisUrl),
    gatewayLook(settings, gateway),
    addressLook(settings),
  ]);
  return [version, ...looks.flat()];
}

function settingsLook({ given, retired, configFile }: Settings, env: NodeJS.ProcessEnv): DoctorCheck[] {
  const findings = retired.map(({ name, from, why }) =>
    warning('settings', `${name} (${from}) is no longer a setting: ${why}`, 'Remove it.'),
  );
  if (configFile !== undefined) {
    try {
      readConfigFile(configFile, env);
    } catch (error) {
      findings.push(
        problem('settings', (error as Error).message, 'Correct the configuration file: with it, the next start fails.'),
      );
    }
  }
  return findings.length > 0 ? findings : [ok('settings', `${given.length} settings are set, all valid`)];
}

function diskLook(dataDir: string): DoctorCheck[] {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    const { bavail, bsize } = statfsSync(dataDir);
    const free = bavail * bsize;
    const say = `${(free / 1e9).toFixed(1)} GB are free in ${dataDir}`;
    if (free >= LITTLE_DISK) return [ok('disk', say)];
    const advice = 'Free some space, or keep requests for fewer days (Settings → Data retention).';
    return [free < NO_DISK ? problem('disk', say, advice) : warning('disk', say, advice)];
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return [
      problem(
        'disk',
        `${dataDir} cannot be used (${code})`,
        'Give this account write access to it, or set DATA_DIR to another folder.',
      ),
    ];
  }
}

async function databaseLook({ databaseUrl, dataDir }: Settings, root: string): Promise<DoctorCheck[]> {
  const url = databaseUrl ?? runningEmbeddedPostgres(dataDir);
  if (url === undefined) return [ok('database', 'the embedded database is not running; it starts with the gateway')];
  try {
    const { version, pending, aheadMs, connections } = await inspectDatabase(url, join(root, 'prisma/migrations'));
    const name = `PostgreSQL ${Math.floor(version / 10_000)}`;
    const used = `${connections.open} of ${connections.most} connections are open`;
    return [
      version < OLDEST_POSTGRES
        ? problem('database', `${name} is too old`, 'Upgrade it to PostgreSQL 14 or newer.')
        : ok('database', `${name} responds; ${used}`),
      ...(connections.open > connections.most * 0.9
        ? [warning('database', used, 'Raise max_connections, or run fewer processes.')]
        : []),
      ...tablesLook(pending),
      clock('the database', aheadMs),
    ];
  } catch (error) {
    const advice =
      'Is it running and reachable from this machine, and are user, password and database name in DATABASE_URL right?';
    return [problem('database', `the database cannot be queried: ${reasonOf(error)}`, advice)];
  }
}

function tablesLook(pending: readonly string[] | undefined): DoctorCheck[] {
  if (pending === undefined)
    return [warning('database', 'it has no tables yet', 'Start the gateway, or run: callsmith migrate')];
  if (pending.length === 0) return [];
  const say = `its tables are older than this version (${pending.join(', ')})`;
  return [warning('database', say, 'Make a backup, then start the gateway or run: callsmith migrate')];
}

async function redisLook(url: string | undefined): Promise<DoctorCheck[]> {
  if (url === undefined) return [];
  try {
    const { version, evicts, aheadMs } = await inspectRedis(url);
    const [major = 0, minor = 0] = version.split('.').map(Number);
    const old = major < OLDEST_REDIS[0] || (major === OLDEST_REDIS[0] && minor < OLDEST_REDIS[1]);
    return [
      old
        ? problem('redis', `Redis ${version} is too old`, `Upgrade it to ${OLDEST_REDIS.join('.')} or newer.`)
        : ok('redis', `Redis ${version} responds`),
      ...(evicts !== undefined && evicts !== 'noeviction'
        ? [
            problem(
              'redis',
              `it evicts keys when its memory is full (maxmemory-policy ${evicts})`,
              'Set maxmemory-policy to noeviction: jobs and counters must not be evicted.',
            ),
          ]
        : []),
      clock('Redis', aheadMs),
    ];
  } catch (error) {
    return [problem('redis', `Redis cannot be queried: ${reasonOf(error)}`, 'Is it running, and is REDIS_URL right?')];
  }
}

function clock(whose: string, aheadMs: number): DoctorCheck {
  const seconds = (Math.abs(aheadMs) / 1000).toFixed(1);
  if (Math.abs(aheadMs) <= CLOCK_MS) return ok('clock', `the clock of ${whose} agrees with that of this machine`);
  return problem(
    'clock',
    `the clock of ${whose} is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} that of this machine`,
    'Synchronize the clocks of all machines with a time service (NTP, chrony).',
  );
}

async function gatewayLook(settings: Settings, gateway: DoctorParts['gateway']): Promise<DoctorCheck[]> {
  const url =
    settings.commandUrl ?? announcedUrl(settings.dataDir) ?? localUrl(settings.server.host, settings.server.port);
  const reply = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5_000) }).catch((error: Error) => error);
  if (reply instanceof Error)
    return [
      warning(
        'gateway',
        `no gateway responds at ${url} (${reasonOf(reply)})`,
        'Start it: npm start, or callsmith serve.',
      ),
    ];
  const { status, reasons = [] } = (await reply.json().catch(() => ({}))) as { status?: string; reasons?: string[] };
  const state =
    status === 'ready'
      ? ok('gateway', `the gateway at ${url} is ready`)
      : (reply.ok ? warning : problem)(
          'gateway',
          `the gateway at ${url} reports: ${reasons.join('; ')}`,
          'Fix what it reports.',
        );
  return [state, ...(await upstreamLook(gateway))];
}

async function upstreamLook(gateway: DoctorParts['gateway']): Promise<DoctorCheck[]> {
  try {
    const { items } = await (await gateway()).client.upstreams.list();
    if (items.length === 0)
      return [
        warning('upstream', 'there is no upstream yet', 'Add one: callsmith upstream add URL, or set UPSTREAM_URL.'),
      ];
    return items
      .filter(({ enabled }) => enabled)
      .map(({ name, baseUrl, health, models, outOfRotation }) => {
        const place = `${name} (${baseUrl})`;
        if (health !== null && !health.ok)
          return problem(
            'upstream',
            `${place}: ${health.error ?? 'does not respond'}`,
            `For details, run: callsmith upstream test ${baseUrl}`,
          );
        if (outOfRotation.upstream || outOfRotation.models.length > 0) {
          const what = outOfRotation.upstream ? 'it' : outOfRotation.models.join(', ');
          return warning(
            'upstream',
            `${place}: ${what} is out of rotation after failures`,
            'Check its log; it is retried every 10 s.',
          );
        }
        if (models.length === 0)
          return warning(
            'upstream',
            `${place} lists no models`,
            'Load one there, or add it by hand: Models → Add a model.',
          );
        return ok(
          'upstream',
          `${place} responds and lists ${models.length === 1 ? '1 model' : `${models.length} models`}`,
        );
      });
  } catch (error) {
    const refused = error instanceof ApiError && error.status === 401;
    const why = refused ? 'the gateway does not accept ADMIN_KEY' : reasonOf(error);
    return [warning('upstream', `upstreams could not be listed: ${why}`, 'Set ADMIN_KEY to that of the gateway.')];
  }
}

/** Users and clients come through PUBLIC_URL; usually this machine reaches the gateway through it too. */
async function addressLook({ server: { publicUrl } }: Settings): Promise<DoctorCheck[]> {
  if (publicUrl === undefined) return [];
  const reply = await fetch(`${publicUrl}/healthz`, { signal: AbortSignal.timeout(5_000) }).catch(
    (error: Error) => error,
  );
  if (!(reply instanceof Error) && reply.ok) return [ok('address', `PUBLIC_URL ${publicUrl} leads here`)];
  const why = reply instanceof Error ? reasonOf(reply) : `it returned ${reply.status}`;
  return [
    warning(
      'address',
      `PUBLIC_URL ${publicUrl} does not lead to a gateway (${why})`,
      'Check host name, certificate and reverse proxy. If others reach it and only this machine does not, ignore this.',
    ),
  ];
}

/** Why something is unreachable, without its address or password: the system's code, else its own message. */
function reasonOf(error: unknown): string {
  const { message, code, cause } = error as Error & { code?: string; cause?: { code?: string; message?: string } };
  const systemCode = code !== undefined && /^[A-Z]{3}/.test(code) ? code : cause?.code; // PostgreSQL's codes look like 28P01
  return systemCode ?? cause?.message ?? message;
}

const marks: Readonly<Record<DoctorCheck['state'], string>> = {
  ok: 'ok      ',
  warning: 'warning ',
  problem: 'PROBLEM ',
};

/** The findings as text, a line each, with what to do below it. */
export const checksText = (findings: readonly DoctorCheck[]): string =>
  findings
    .map(({ about, state, say, advice }) => {
      const line = `${marks[state]}${about.padEnd(9)} ${say.replaceAll('\n', `\n${' '.repeat(18)}`)}\n`;
      return advice === null ? line : `${line}${' '.repeat(18)}→ ${advice}\n`;
    })
    .join('');
