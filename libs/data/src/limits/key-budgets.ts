import type { BudgetPeriod } from '@callsmith/contracts';

/** A budget that requests of a key count against. */
export interface KeyBudget {
  /** Whose it is: the key's own, its owner's or its team's. */
  readonly of: 'key' | 'owner' | 'team';
  /** `spend`: millionths of the currency. */
  readonly unit: 'tokens' | 'spend';
  readonly period: BudgetPeriod;
  readonly limit: number;
  /** The name of its counter. */
  readonly counter: string;
}

/** Budgets as a row has them. */
export interface BudgetColumns {
  readonly id: string;
  readonly tokenBudget: bigint | null;
  readonly spendBudget: bigint | null;
  readonly budgetPeriod: string | null;
}

/** Of keys the counters are named by the key's id, of others by the budget's. */
const prefixes = {
  key: { tokens: 'budget:', spend: 'spend:' },
  owner: { tokens: 'shared-budget:', spend: 'shared-spend:' },
  team: { tokens: 'shared-budget:', spend: 'shared-spend:' },
} as const;

/** The budgets of a row of a key, or of a team or owner. */
export function budgetsIn(of: KeyBudget['of'], row: BudgetColumns): KeyBudget[] {
  const period = row.budgetPeriod === 'day' ? 'day' : 'month';
  const limits = { tokens: row.tokenBudget, spend: row.spendBudget };
  return (['tokens', 'spend'] as const).flatMap((unit) => {
    const limit = limits[unit];
    return limit === null ? [] : { of, unit, period, limit: Number(limit), counter: prefixes[of][unit] + row.id };
  });
}
