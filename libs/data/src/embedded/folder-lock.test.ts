import { mkdirSync, mkdtempSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DatabaseInUse, lockFolder } from './folder-lock.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'folder-lock-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

/** A lock of an owner with a different clock; returns the function that renews it. */
function lockOf(clockMs: number): () => void {
  const lock = join(dataDir, 'postgres.lock');
  mkdirSync(lock);
  const renew = () => {
    const at = (Date.now() + clockMs) / 1000;
    utimesSync(lock, at, at);
  };
  renew();
  return renew;
}

const take = (onWait = () => {}) => lockFolder(dataDir, { onWait, onLost: () => {} });
const hour = 3_600_000;

describe.each([
  ['an hour behind', -hour],
  ['an hour ahead', hour],
  ['right', 0],
])('D-41 a lock of an owner whose clock is %s', (_, clockMs) => {
  it('is in use while it is renewed', async () => {
    const renew = lockOf(clockMs);
    const timer = setInterval(renew, 1_000);
    try {
      await expect(take()).rejects.toThrow(DatabaseInUse);
    } finally {
      clearInterval(timer);
    }
  });

  it('is taken over after a long time without renewal, after one warning', async () => {
    lockOf(clockMs);
    let warnings = 0;
    const lock = await take(() => {
      warnings++;
    });
    await lock.release();
    expect(warnings).toBe(1);
  }, 30_000);
});

it('of several that wait for the same abandoned lock, one gets it', async () => {
  lockOf(-hour);
  const ends = await Promise.allSettled([take(), take(), take()]);
  const taken = ends.filter((end) => end.status === 'fulfilled');
  expect(taken).toHaveLength(1);
  for (const { value } of taken) await value.release();
}, 30_000);
