import type { BudgetPeriod } from '@callsmith/contracts';
import { Text } from '@mantine/core';
import { formatCompact, formatMoney } from '../../lib/format.ts';
import { useMe } from '../../lib/session.ts';
import type { UsageItem } from './queries.ts';
import css from './usage.module.css';

/** What is left of the budgets of a key or team in their running periods. */
export function BudgetsLeft({ of: { budget, spendBudget } }: { of: Pick<UsageItem, 'budget' | 'spendBudget'> }) {
  const { currency } = useMe().installation;
  if (!budget && !spendBudget) return <Text c="dimmed">no budget</Text>;
  return (
    <>
      {budget && <BudgetLeft {...budget} limit={budget.tokens} format={formatCompact} />}
      {spendBudget && <BudgetLeft {...spendBudget} format={(micros) => formatMoney(micros, currency)} />}
    </>
  );
}

interface BudgetLeftProps {
  readonly limit: number;
  readonly used: number | null;
  readonly period: BudgetPeriod;
  readonly format: (amount: number) => string;
}

function BudgetLeft({ limit, used, period, format }: BudgetLeftProps) {
  if (used === null) return <Text c="dimmed">unavailable</Text>;
  const left = Math.max(0, limit - used);
  return (
    <>
      {left === 0 ? 'used up' : format(left)}
      <Text fz="xs" c="dimmed">
        of {format(limit)} {period === 'day' ? 'today' : 'this month'}
      </Text>
      <Bar share={used / limit} over={left === 0} />
    </>
  );
}

/** A share as a bar. */
export const Bar = ({ share, over = false }: { share: number; over?: boolean }) => (
  <div className={css.bar} aria-hidden="true">
    <div className={`${css.fill} ${over ? css.over : ''}`} style={{ width: `${Math.min(100, share * 100)}%` }} />
  </div>
);
