import type { OwnKey } from '@callsmith/contracts';
import { SimpleGrid, Stack, Text } from '@mantine/core';
import { formatCompact, formatCount, formatMoment, formatMoney } from '../../lib/format.ts';

/** What a key used in 30 days, its limits, and what is left of them. */
export function OwnUsage({ of: { key, usage } }: { of: OwnKey }) {
  const { totals, limits, currency } = usage;
  return (
    <Stack gap="md">
      <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="sm">
        <Figure name="Requests" value={formatCount(totals.requests)} />
        <Figure name="Input tokens" value={formatCompact(totals.input_tokens)} />
        <Figure name="Output tokens" value={formatCompact(totals.output_tokens)} />
        <Figure name="Cost" value={formatMoney(totals.spend_micros, currency)} />
      </SimpleGrid>
      <Stack gap={4}>
        {limits.requests_per_minute && <Left name="Requests per minute" of={limits.requests_per_minute} />}
        {limits.tokens_per_minute && <Left name="Tokens per minute" of={limits.tokens_per_minute} />}
        {limits.concurrent_requests && (
          <Text fz="sm">Concurrent requests: at most {formatCount(limits.concurrent_requests.limit)}</Text>
        )}
        {limits.budgets.map((budget) => (
          <Left
            key={`${budget.of} ${budget.unit} ${budget.period}`}
            name={budgetName(budget)}
            of={budget}
            shown={budget.unit === 'tokens' ? formatCompact : (micros) => formatMoney(micros, currency)}
          />
        ))}
        <Text fz="sm">Models: {key.allowedModels === null ? 'all' : key.allowedModels.join(', ')}</Text>
        {key.expiresAt && <Text fz="sm">Expires {formatMoment(key.expiresAt)}</Text>}
      </Stack>
    </Stack>
  );
}

const Figure = ({ name, value }: { name: string; value: string }) => (
  <div>
    <Text fz="xs" c="dimmed">
      {name}
    </Text>
    <Text fz="lg" fw={600}>
      {value}
    </Text>
  </div>
);

type Limit = OwnKey['usage']['limits']['budgets'][number];

const Left = ({
  name,
  of: { limit, used, resets_at },
  shown = formatCount,
}: {
  name: string;
  of: Pick<Limit, 'limit' | 'used' | 'resets_at'>;
  shown?: (value: number) => string;
}) => (
  <Text fz="sm">
    {name}: {shown(used)} of {shown(limit)} used, resets {formatMoment(resets_at)}
  </Text>
);

const budgetName = ({ of, unit, period }: Limit): string => {
  const whose = { key: 'Budget', owner: 'Budget of all your keys', team: 'Budget of your team' }[of] ?? 'Budget';
  return `${whose}, ${unit === 'tokens' ? 'tokens' : 'spend'} per ${period}`;
};
