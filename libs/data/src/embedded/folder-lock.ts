import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import lockfile from 'proper-lockfile';

/** How often the owner renews its lock, in milliseconds. */
const RENEW_MS = 2_000;

/** A lock that was not renewed while it was watched for this long is abandoned: its owner was killed or lost power. */
const STALE_MS = 15_000;

/**
 * The watch time for a lock that seems long abandoned by its timestamp; clocks of two machines may differ by any
 * amount.
 */
const OLD_STALE_MS = 3 * RENEW_MS;

/** How often a waiting start checks again. */
const LOOK_MS = 250;

/** The database of this folder is in use by another Callsmith, on this machine or on another that shares the folder. */
export class DatabaseInUse extends Error {
  override readonly name = 'DatabaseInUse';
}

/** The exclusive right to run the database of one folder. */
export interface FolderLock {
  /** Releases the lock. */
  release(): Promise<void>;
}

/**
 * Acquires the right to run the embedded database of `dataDir`, for one process among all that see that folder: of
 * other containers and machines too, whose process ids and clocks cannot be compared. It is the directory
 * `postgres.lock`, whose timestamp its owner renews: while the timestamp changes it is in use, otherwise it is taken
 * over. `onWait` is called before that wait of at most 15 s. `onLost` is called if another process took the lock, which
 * happens only if this one was suspended for longer. Throws `DatabaseInUse` if another process renews the lock.
 */
export async function lockFolder(
  dataDir: string,
  { onWait, onLost }: { onWait: () => void; onLost: () => void },
): Promise<FolderLock> {
  const lockDirectory = join(dataDir, 'postgres.lock');
  let seen: { readonly renewed: number; readonly until: number } | undefined;
  for (;;) {
    const release = await tryLock(dataDir, lockDirectory, onLost);
    if (release) return { release };
    const renewed = renewedAt(lockDirectory);
    if (seen !== undefined && renewed !== undefined && renewed !== seen.renewed)
      throw new DatabaseInUse(
        `The database in ${dataDir} is in use by another Callsmith. Stop that one first, or give this one a folder of its own (DATA_DIR), or one database for both (DATABASE_URL).`,
      );
    if (seen === undefined && renewed !== undefined) {
      const isOld = Date.now() - renewed > STALE_MS;
      seen = { renewed, until: performance.now() + (isOld ? OLD_STALE_MS : STALE_MS) };
      onWait();
    }
    if (seen !== undefined && performance.now() > seen.until) rmSync(lockDirectory, { recursive: true, force: true });
    else await sleep(LOOK_MS);
  }
}

async function tryLock(
  dataDir: string,
  lockfilePath: string,
  onLost: () => void,
): Promise<(() => Promise<void>) | undefined> {
  try {
    // Never stale by the library's own rule, which compares the folder's time with this machine's clock.
    const stale = Number.MAX_SAFE_INTEGER;
    return await lockfile.lock(dataDir, { lockfilePath, stale, update: RENEW_MS, onCompromised: onLost });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ELOCKED') return undefined;
    throw error;
  }
}

/** When the lock was renewed, in milliseconds since the epoch; undefined: there is none. */
function renewedAt(lockDirectory: string): number | undefined {
  return statSync(lockDirectory, { throwIfNoEntry: false })?.mtimeMs;
}
