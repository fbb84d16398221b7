import type { BudgetPeriod } from '@callsmith/contracts';

/** A budget that requests of a key count against. */
export interface KeyBudget {
  /** Its owner: the key, the key's owner or the team. */
  readonly of: 'key' | 'owner' | 'team';
  /** `spend`: millionths of the currency. */
  readonly unit: 'tokens' | 'spend';
  readonly period: BudgetPeriod;
  readonly limit: number;
  /** The name of its counter. */
  readonly counter: string;
}

/** The budget columns of a row. */
export interface BudgetColumns {
  readonly id: string;
  readonly tokenBudget: bigint | null;
  readonly spendBudget: bigint | null;
  readonly budgetPeriod: string | null;
}

/** A key's counters are named by the key's id, others by the budget's. */
const prefixes = {
  key: { tokens: 'budget:', spend: 'spend:' },
  owner: { tokens: 'shared-budget:', spend: 'shared-spend:' },
  team: { tokens: 'shared-budget:', spend: 'shared-spend:' },
} as const;

/** The budgets of the row of a key, a team or an owner. */
export function budgetsIn(of: KeyBudget['of'], row: BudgetColumns): KeyBudget[] {
  const period = row.budgetPeriod === 'day' ? 'day' : 'month';
  const limits = { tokens: row.tokenBudget, spend: row.spendBudget };
  return (['tokens', 'spend'] as const).flatMap((unit) => {
    const limit = limits[unit];
    return limit === null ? [] : { of, unit, period, limit: Number(limit), counter: prefixes[of][unit] + row.id };
  });
}
