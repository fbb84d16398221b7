import { expect, it } from 'vitest';
import { withEmptyDays } from './days.ts';

it('days without a request are listed between days with some, also where a month ends', () => {
  const day = (date: string, count: number) => ({ at: `${date}T00:00:00.000Z`, count });
  expect(withEmptyDays([day('2026-02-27', 3), day('2026-03-02', 1)])).toEqual([
    day('2026-02-27', 3),
    day('2026-02-28', 0),
    day('2026-03-01', 0),
    day('2026-03-02', 1),
  ]);
  expect(withEmptyDays([day('2026-02-27', 3)])).toEqual([day('2026-02-27', 3)]);
  expect(withEmptyDays([])).toEqual([]);
});
