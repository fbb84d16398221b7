import { expect, it } from 'vitest';
import { burnOf, burnRates, isUsedUp } from './failure-budget.ts';

/** Minutes ago, calls per minute, and how many of them failed; backwards from the newest. */
type Stretch = readonly [minutes: number, calls: number, failed: number];

/** Counts of the last minutes of these calls. */
function of(stretches: readonly Stretch[]) {
  const perMinute = stretches.flatMap(([minutes, calls, failed]) =>
    Array.from({ length: minutes }, () => ({ calls, failed })),
  );
  return (minutes: number) => {
    const within = perMinute.slice(0, minutes);
    const sum = (name: 'calls' | 'failed') => within.reduce((all, one) => all + one[name], 0);
    return Promise.resolve({ calls: sum('calls'), failed: sum('failed') });
  };
}

const burn = (stretches: readonly Stretch[], { budget = 0.02, wasTold = false } = {}) =>
  burnOf(budget, wasTold, of(stretches));

it('one failing call in four is reported within the hour', async () => {
  expect(
    await burn([
      [20, 4, 1],
      [1420, 4, 0],
    ]),
  ).toBeUndefined();
  expect(
    await burn([
      [40, 4, 1],
      [1400, 4, 0],
    ]),
  ).toMatchObject({ minutes: 60, calls: 240, failed: 40 });
});

it('a model within its budget is not reported, however often it is used', async () => {
  expect(await burn([[1440, 1, 0.02]])).toBeUndefined();
  expect(await burn([[1440, 500, 10]])).toBeUndefined();
  expect(await burn([[1440, 100, 5]])).toBeUndefined(); // 5 %: over the budget, not three times
});

it('fewer failures over hours are reported too', async () => {
  const slow = await burn([[1440, 100, 7]]);
  expect(slow).toMatchObject({ minutes: 360, calls: 36_000, failed: 2_520 });
  expect(slow?.times).toBeCloseTo(3.5);
});

it('what has ended is not reported', async () => {
  expect(
    await burn([
      [30, 4, 0],
      [60, 4, 2],
    ]),
  ).toBeUndefined();
});

it('too few calls prove nothing, and a few are collected for a day', async () => {
  expect(await burn([[7, 4, 4]])).toBeUndefined(); // 28 calls
  expect(await burn([[60, 1, 4 / 60]])).toBeUndefined(); // 4 failures
  expect(await burn([[1440, 1 / 40, 1 / 80]])).toMatchObject({ minutes: 1440 }); // 36 calls a day, half of them failed
  expect(await burn([[1440, 1 / 60, 1 / 60]])).toBeUndefined(); // 24 calls a day
});

it('an alert stays until the rate is half of what it was at the start', async () => {
  const four: Stretch[] = [[360, 10, 0.4]]; // 4 %: under three times the budget, over half of that
  expect(await burn(four)).toBeUndefined();
  expect(await burn(four, { wasTold: true })).toBeDefined();
  expect(await burn([[1440, 10, 0.2]], { wasTold: true })).toBeUndefined();
  expect(await burn([[60, 0, 0]], { wasTold: true })).toBeUndefined();
});

it('a model’s own budget applies', async () => {
  expect(await burn([[1440, 4, 1]], { budget: 0.1 })).toBeUndefined();
  expect(await burn([[1440, 10, 1]], { budget: 0.01 })).toBeDefined();
});

it('both rates are evaluated separately: current failures, and failures over hours', async () => {
  const now: Stretch[] = [
    [60, 4, 1],
    [1380, 4, 0],
  ];
  expect(await burnRates(0.02, of(now))).toMatchObject({
    fast: { minutes: 60, calls: 240, failed: 60, times: 12.5, most: 6, tooFast: true },
    slow: { minutes: 360, calls: 1440, failed: 60, most: 3, tooFast: false },
  });
  expect(await burnRates(0.02, of([[1440, 1 / 60, 1 / 60]]))).toEqual({ fast: undefined, slow: undefined });
});

it('a budget is used up when more calls failed than it allows, over enough calls', () => {
  expect(isUsedUp(0.02, { calls: 1000, failed: 21 })).toBe(true);
  expect(isUsedUp(0.02, { calls: 1000, failed: 20 })).toBe(false);
  expect(isUsedUp(0.02, { calls: 99, failed: 99 })).toBe(false);
  expect(isUsedUp(0.02, { calls: 200, failed: 7 })).toBe(false);
});
