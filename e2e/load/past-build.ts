import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The gateway at a past commit, built in a separate folder. */
export interface PastBuild {
  /** As given, e.g. `v0.1.0`. */
  readonly name: string;
  /** The commit's hash, shortened. */
  readonly commit: string;
  /** The folder: the commit's files, its packages, its build. */
  readonly root: string;
  /** Removes the folder. */
  remove(): void;
}

/**
 * Builds the commit that git resolves `name` to, with the packages of its own lockfile. Takes about a minute. Throws if
 * there is no such commit, or if it cannot be built.
 */
export function buildPast(name: string, root: string): PastBuild {
  const commit = git(root, ['rev-parse', '--short', '--verify', '--end-of-options', `${name}^{commit}`])
    .toString()
    .trim();
  const folder = mkdtempSync(join(tmpdir(), 'callsmith-past-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  try {
    chmodSync(folder, 0o755); // as root, the database server runs under another account, from the packages in here
    const archive = join(folder, 'commit.tar');
    writeFileSync(archive, git(root, ['archive', '--format=tar', commit]));
    execFileSync('tar', ['-xf', archive, '-C', folder]);
    rmSync(archive);
    // The commit's own build: it installs its packages first.
    execFileSync(process.execPath, ['scripts/build.mjs', 'gateway'], { cwd: folder, env: ownEnv(), stdio: 'pipe' });
  } catch (error) {
    remove();
    const { stdout, stderr } = error as { stdout?: Buffer; stderr?: Buffer };
    throw new Error(`${name} cannot be built: ${(error as Error).message}\n${stdout ?? ''}${stderr ?? ''}`);
  }
  return {
    name,
    commit,
    root: folder,
    remove() {
      process.off('exit', remove);
      remove();
    },
  };
}

/** Whether there is such a commit, given by its full hash: a shallow clone fetches it from its origin. */
export function hasCommit(hash: string, root: string): boolean {
  const isFetched = () => succeeds(() => git(root, ['cat-file', '-e', `${hash}^{commit}`]));
  return isFetched() || (succeeds(() => git(root, ['fetch', '--quiet', '--depth=1', 'origin', hash])) && isFetched());
}

function succeeds(run: () => unknown): boolean {
  try {
    run();
    return true;
  } catch {
    return false;
  }
}

const git = (cwd: string, args: readonly string[]): Buffer =>
  execFileSync('git', args, { cwd, maxBuffer: 1e9, stdio: ['ignore', 'pipe', 'pipe'] });

/**
 * Without the variables of this checkout that `npm run` passes on; packages in npm's cache are not downloaded again.
 */
function ownEnv(): NodeJS.ProcessEnv {
  const npmVariables = /^npm_(package_|lifecycle_|config_local_prefix)/;
  const kept = Object.entries(process.env).filter(([name]) => !npmVariables.test(name));
  return { ...Object.fromEntries(kept), npm_config_prefer_offline: 'true' };
}
