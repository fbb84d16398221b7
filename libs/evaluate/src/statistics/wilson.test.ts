import { expect, it } from 'vitest';
import { wilson } from './wilson.ts';

it('has the published interval of 81 in 263 (Newcombe 1998)', () => {
  const share = wilson(81, 263);
  expect(share?.low).toBeCloseTo(0.2553, 4);
  expect(share?.high).toBeCloseTo(0.3662, 4);
  expect(share).toMatchObject({ n: 263, few: false });
});

it('stays within 0 and 1, and says if there are too few', () => {
  expect(wilson(0, 29)).toMatchObject({ value: 0, low: 0, few: true });
  expect(wilson(30, 30)).toMatchObject({ value: 1, high: 1, few: false });
  expect(wilson(0, 0)).toBeNull();
});
