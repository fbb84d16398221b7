import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { BudgetsLeft } from './budgets-left.tsx';
import { type Asked, usageQuery } from './queries.ts';

/** What is left of the budgets of one key or team. It is counted with its requests, so that none in the period tells nothing. */
export function BudgetFact({ of }: { of: Pick<Asked, 'period' | 'by' | 'keyId' | 'teamId'> }) {
  const item = useQuery(usageQuery(of)).data?.items[0];
  if (!item)
    return (
      <Text c="dimmed" component="span">
        –
      </Text>
    );
  return <BudgetsLeft of={item} />;
}
