import { mkdirSync, mkdtempSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DatabaseInUse, lockFolder } from './folder-lock.ts';

interface Folder {
  /** Takes the lock of the folder as a second owner would. */
  readonly take: (onWait?: () => void) => ReturnType<typeof lockFolder>;
  readonly renew: () => void;
}

/** A folder with the lock of an owner whose clock differs by that much; `done`: registers what is run at the end. */
function lockedFolder(clockMs: number, done: (remove: () => void) => void): Folder {
  const dataDir = mkdtempSync(join(tmpdir(), 'folder-lock-'));
  done(() => rmSync(dataDir, { recursive: true, force: true }));
  const lock = join(dataDir, 'postgres.lock');
  mkdirSync(lock);
  const renew = () => {
    const at = (Date.now() + clockMs) / 1000;
    utimesSync(lock, at, at);
  };
  renew();
  return { take: (onWait = () => {}) => lockFolder(dataDir, { onWait, onLost: () => {} }), renew };
}

const hour = 3_600_000;

// They wait most of their time.
describe.concurrent.each([
  ['an hour behind', -hour],
  ['an hour ahead', hour],
  ['right', 0],
])('D-41 a lock of an owner whose clock is %s', (_, clockMs) => {
  it('is in use while it is renewed', async ({ onTestFinished }) => {
    const { take, renew } = lockedFolder(clockMs, onTestFinished);
    const timer = setInterval(renew, 1_000);
    try {
      await expect(take()).rejects.toThrow(DatabaseInUse);
    } finally {
      clearInterval(timer);
    }
  });

  it('is taken over after a long time without renewal, after one warning', async ({ onTestFinished }) => {
    const { take } = lockedFolder(clockMs, onTestFinished);
    let warnings = 0;
    const lock = await take(() => {
      warnings++;
    });
    await lock.release();
    expect(warnings).toBe(1);
  }, 30_000);
});

it.concurrent('of several that wait for the same abandoned lock, one gets it', async ({ onTestFinished }) => {
  const { take } = lockedFolder(-hour, onTestFinished);
  const ends = await Promise.allSettled([take(), take(), take()]);
  const taken = ends.filter((end) => end.status === 'fulfilled');
  expect(taken).toHaveLength(1);
  for (const { value } of taken) await value.release();
}, 30_000);
