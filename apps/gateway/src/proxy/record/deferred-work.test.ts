import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { deferred } from './deferred-work.ts';

/** Keeps the thread for `ms`. */
const busy = (ms: number): void => {
  for (const until = performance.now() + ms; performance.now() < until; );
};

it('does its work in order, after other events were handled', async () => {
  const seen: string[] = [];
  deferred.add(() => seen.push('first'));
  deferred.add(() => seen.push('second'));
  setImmediate(() => seen.push('others'));
  await expect.poll(() => seen).toEqual(['others', 'first', 'second']);
});

it('yields to other events during long work', async () => {
  let done = 0;
  let longest = 0;
  for (let count = 0; count < 50; count++)
    deferred.add(() => {
      busy(1);
      done++;
    });
  for (let before = 0; done < 50; before = done) {
    await sleep(0);
    longest = Math.max(longest, done - before);
  }
  expect(longest).toBeLessThan(25);
});

it('catches up if more work arrives than its time slices allow', async () => {
  let done = 0;
  for (let count = 0; count < 1000; count++)
    deferred.add(() => {
      busy(0.1);
      done++;
    });
  await expect.poll(() => done, { interval: 1 }).toBeGreaterThan(0);
  expect(done).toBeGreaterThanOrEqual(800);
  await expect.poll(() => done).toBe(1000);
});

it('does waiting work immediately when flushed, and only once', async () => {
  let done = 0;
  deferred.add(() => done++);
  deferred.flush();
  expect(done).toBe(1);
  await sleep(20);
  expect(done).toBe(1);
});

it('continues after work that adds more', async () => {
  const seen: string[] = [];
  deferred.add(() => deferred.add(() => seen.push('more')));
  await expect.poll(() => seen).toEqual(['more']);
});
