import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { BudgetsLeft } from './budgets-left.tsx';
import { type UsageFilter, type UsageItem, usageQuery } from './queries.ts';

type Budgets = Pick<UsageItem, 'budget' | 'spendBudget'>;

/** A budget's period is no longer than that. */
const period = { range: '30d' } as const;

/** What is left of the budgets of one key or team; `unused`: what they are, where it had no requests in a month. */
export function BudgetFact({ of, unused }: { of: Pick<UsageFilter, 'by' | 'keyId' | 'teamId'>; unused?: Budgets }) {
  const usage = useQuery(usageQuery({ period, ...of }));
  const item = usage.data?.items[0] ?? (usage.data && unused);
  if (!item)
    return (
      <Text c="dimmed" component="span">
        –
      </Text>
    );
  return <BudgetsLeft of={item} />;
}
