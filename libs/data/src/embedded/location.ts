import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isOpenToAll } from './binaries.ts';

/** Where a server started as root stores what its own account must reach. Persistent, and only root writes to it. */
const LASTING = '/var/lib/callsmith';

/** An account of the operating system. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** The folder of the embedded database's files, and the account of its server. */
export interface EmbeddedLocation {
  readonly folder: string;
  /** Undefined: the account of this process. */
  readonly account: Account | undefined;
  /** Where the binaries are copied if they cannot be used in place. */
  readonly copies: string;
}

/**
 * The location of the database that belongs to `dataDir`. Postgres refuses to run as root, so for root it runs as the
 * account `callsmith`, else `nobody`; if that account cannot reach `dataDir`, the files are in /var/lib/callsmith and a
 * note in `dataDir` says where. An existing database keeps its folder and its account.
 */
export function embeddedLocation(dataDir: string): EmbeddedLocation {
  mkdirSync(dataDir, { recursive: true, mode: process.getuid?.() === 0 ? 0o755 : 0o700 });
  const folder = knownFolder(dataDir);
  if (process.getuid?.() !== 0)
    return { folder: folder ?? join(dataDir, 'postgres'), account: undefined, copies: dataDir };
  if (folder !== undefined) {
    const { uid, gid } = statSync(folder);
    return { folder, account: { uid, gid }, copies: LASTING };
  }
  const account = accountNamed('callsmith') ?? accountNamed('nobody');
  if (account === undefined)
    throw new Error('root cannot run Postgres, and there is no account "nobody": start Callsmith as another user');
  if (isOpenToAll(dataDir)) return { folder: join(dataDir, 'postgres'), account, copies: LASTING };
  const lasting = join(LASTING, createHash('sha256').update(dataDir).digest('hex').slice(0, 12));
  mkdirSync(LASTING, { recursive: true, mode: 0o755 });
  writeFileSync(note(dataDir), `${lasting}\n`, { mode: 0o600 });
  return { folder: lasting, account, copies: LASTING };
}

/** The folder of `dataDir`'s existing database; undefined: none. */
export function knownFolder(dataDir: string): string | undefined {
  const beside = join(dataDir, 'postgres');
  if (existsSync(join(beside, 'PG_VERSION'))) return beside;
  if (!existsSync(note(dataDir))) return undefined;
  const elsewhere = readFileSync(note(dataDir), 'utf8').trim();
  return existsSync(join(elsewhere, 'PG_VERSION')) ? elsewhere : undefined;
}

const note = (dataDir: string) => join(dataDir, 'postgres-folder');

function accountNamed(name: string): Account | undefined {
  const ask = (flag: string) => spawnSync('id', [flag, name], { encoding: 'utf8' });
  const [uid, gid] = [ask('-u'), ask('-g')];
  return uid.status === 0 && gid.status === 0 ? { uid: Number(uid.stdout), gid: Number(gid.stdout) } : undefined;
}
