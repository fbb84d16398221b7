import { expect, it } from 'vitest';
import { budgetLine } from './budget-line.ts';

const now = Date.parse('2026-05-31T00:00:00Z');
const day = (date: string, failed: number) => ({ at: `${date}T00:00:00.000Z`, calls: 100, failed });

it('the budget burns down day by day and ends at what is left', () => {
  const days = [day('2026-05-16', 2), day('2026-05-30', 1)];
  expect(budgetLine({ percentage: 2, calls: 200, days }, now)).toEqual([
    { at: 0, left: 1 },
    { at: 16 / 30, left: 0.5 },
    { at: 1, left: 0.25 },
  ]);
});

it('what is overdrawn stays on the ground, and without failures the line is level', () => {
  expect(budgetLine({ percentage: 2, calls: 100, days: [day('2026-05-30', 50)] }, now).at(-1)?.left).toBe(0);
  expect(budgetLine({ percentage: 2, calls: 100, days: [day('2026-05-30', 0)] }, now).at(-1)?.left).toBe(1);
});
