import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { postgresBinaries } from './binaries.ts';
import { lockFolder } from './folder-lock.ts';
import { type EmbeddedLocation, embeddedLocation, knownFolder } from './location.ts';
import { endOrphan, initialize, launch, runningOn, type Server, urlOf } from './server.ts';

const DATABASE = 'callsmith';

/** Maximum connections of a gateway process (see `PrismaService`). */
const GATEWAY_CONNECTIONS = 12;
/** For commands, tools and manual inspection. */
const SPARE_CONNECTIONS = 88;

/** The bundled Postgres while it runs. */
export interface EmbeddedPostgres {
  /** Address of the database, password included. */
  readonly url: string;
  /** The folder of its files. */
  readonly folder: string;
  stop(): Promise<void>;
}

/** Options for the start of the embedded database. */
export interface EmbeddedOptions {
  /** Processes of the gateway that will use it; default 1. */
  readonly gateways?: number;
  /** Called before the start waits, at most 15 s, for the lock of a killed process. */
  readonly onWait?: () => void;
  /** Called, with the server stopped, if another process took the folder: this one was suspended for too long. */
  readonly onLost?: () => void;
}

/**
 * Starts the database whose files belong to `dataDir` (absolute), creating them at the first start. It accepts
 * connections from this machine only, with the password stored in `dataDir`; it ends with this process, also if that is
 * killed, and is restarted if it exits by itself. Throws `DatabaseInUse` if another process runs it, and an error that
 * ends in the server's own message if it cannot start.
 */
export async function startEmbeddedPostgres(dataDir: string, options: EmbeddedOptions = {}): Promise<EmbeddedPostgres> {
  const place = embeddedLocation(dataDir);
  // Before anything is read or written: two servers on the same files would destroy them.
  const lock = await lockFolder(dataDir, {
    onWait: options.onWait ?? (() => {}),
    onLost: () => void running?.stop().finally(options.onLost),
  });
  let running: EmbeddedPostgres | undefined;
  try {
    const started = await startServer(dataDir, place, options.gateways ?? 1);
    running = started;
    return {
      ...started,
      stop: async () => {
        await started.stop();
        await lock.release().catch(() => {}); // another process took it
      },
    };
  } catch (error) {
    await lock.release().catch(() => {});
    throw error;
  }
}

async function startServer(dataDir: string, place: EmbeddedLocation, gateways: number): Promise<EmbeddedPostgres> {
  const binaries = postgresBinaries({ asOtherUser: place.account !== undefined, copies: place.copies });
  const password = passwordIn(dataDir, place);
  initialize(binaries, place, password);
  await endOrphan(place.folder);
  const log = join(dataDir, 'logs', 'postgres.log');
  mkdirSync(join(dataDir, 'logs'), { recursive: true });
  const connections = SPARE_CONNECTIONS + gateways * GATEWAY_CONNECTIONS;
  const server = await launch(binaries, place, { password, log, connections });
  await createDatabase(urlOf(server.port, password));
  const keeper = keepRunning(server, () => launch(binaries, place, { password, log, connections, port: server.port }));
  return { url: urlOf(server.port, password, DATABASE), folder: place.folder, stop: keeper.stop };
}

/** Address of the embedded database of `dataDir` if it is running. */
export function runningEmbeddedPostgres(dataDir: string): string | undefined {
  const folder = knownFolder(dataDir);
  const server = folder === undefined ? undefined : runningOn(folder);
  return server && urlOf(server.port, readFileSync(passwordFile(dataDir), 'utf8').trim(), DATABASE);
}

const passwordFile = (dataDir: string) => join(dataDir, 'postgres-password');

function passwordIn(dataDir: string, place: EmbeddedLocation): string {
  const file = passwordFile(dataDir);
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  if (existsSync(join(place.folder, 'PG_VERSION'))) {
    throw new Error(`${file} is missing: without that password the database in ${place.folder} cannot be opened`);
  }
  const password = randomBytes(24).toString('base64url');
  writeFileSync(file, `${password}\n`, { mode: 0o600, flag: 'wx' });
  return password;
}

async function createDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [DATABASE]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`);
  } finally {
    await client.end();
  }
}

/** Restarts a server that exited unexpectedly. */
function keepRunning(first: Server, again: () => Promise<Server>): { stop(): Promise<void> } {
  let server = first;
  let stopping = false;
  const watching = (async () => {
    for (;;) {
      await server.gone;
      while (!stopping) {
        const next = await again().catch(() => undefined);
        if (next) {
          server = next;
          break;
        }
        await sleep(2_000, undefined, { ref: false });
      }
      if (stopping) return server.stop();
    }
  })();
  return {
    async stop() {
      stopping = true;
      await server.stop();
      await watching;
    },
  };
}
