import { Anchor, Text } from '@mantine/core';
import { formatCompact, formatCount, formatMoney, formatShare } from '../../lib/format.ts';
import { Sparkline } from '../../ui/sparkline.tsx';
import type { Column } from '../../ui/table-column.ts';
import { Bar, BudgetsLeft } from './budgets-left.tsx';
import type { Usage, UsageGroup, UsageItem } from './queries.ts';
import css from './usage.module.css';

const tokens = ({ inputTokens, outputTokens }: { inputTokens: number; outputTokens: number }) =>
  inputTokens + outputTokens;

/** The columns of the list of what is used most; `look` confines the page to one row. */
export const columns = (
  data: Usage,
  by: UsageGroup,
  currency: string,
  look: (id: string) => void,
): Column<UsageItem>[] => [
  {
    key: 'name',
    title: by[0]?.toUpperCase() + by.slice(1),
    cell: (item) => <Name of={item} onLook={look} />,
    sort: ({ name }) => name,
  },
  {
    key: 'course',
    title: 'Tokens over time',
    hideBelow: 'Md',
    cell: ({ course }) => (
      <div className={css.course}>
        <Sparkline values={course} color="var(--accent)" />
      </div>
    ),
  },
  { key: 'turns', title: 'Requests', right: true, cell: ({ turns }) => formatCount(turns), sort: ({ turns }) => turns },
  {
    key: 'in',
    title: 'Tokens in',
    right: true,
    hideBelow: 'Sm',
    cell: (item) => <TokensIn of={item} />,
    sort: ({ inputTokens }) => inputTokens,
  },
  {
    key: 'out',
    title: 'Tokens out',
    right: true,
    hideBelow: 'Sm',
    cell: ({ outputTokens }) => formatCompact(outputTokens),
    sort: ({ outputTokens }) => outputTokens,
  },
  {
    key: 'added',
    title: 'Added by prompt',
    right: true,
    hideBelow: 'Md',
    cell: ({ injectedTokens }) => (injectedTokens > 0 ? formatCompact(injectedTokens) : '–'),
    sort: ({ injectedTokens }) => injectedTokens,
  },
  ...(data.totals.spend > 0 ? [costColumn(currency)] : []),
  {
    key: 'share',
    title: 'Share of tokens',
    ...(by === 'key' && { hideBelow: 'Sm' as const }),
    cell: (item) => <Part of={tokens(item)} all={tokens(data.totals)} />,
    sort: tokens,
  },
  ...(by === 'key' || by === 'team' ? [budgetColumn] : []),
];

const costColumn = (currency: string): Column<UsageItem> => ({
  key: 'spend',
  title: 'Cost',
  right: true,
  cell: ({ spend }) => (spend > 0 ? formatMoney(spend, currency) : '–'),
  sort: ({ spend }) => spend,
});

const budgetColumn: Column<UsageItem> = {
  key: 'budget',
  title: 'Budget left',
  cell: (item) => <BudgetsLeft of={item} />,
  sort: ({ budget, spendBudget }) => {
    const limits = [budget && { ...budget, limit: budget.tokens }, spendBudget];
    const left = limits.flatMap((one) => (one && one.used !== null ? 1 - one.used / one.limit : []));
    return left.length === 0 ? null : Math.min(...left);
  },
};

const Name = ({ of: { id, name }, onLook }: { of: UsageItem; onLook: (id: string) => void }) =>
  id === '' ? (
    <Text c="dimmed">none</Text>
  ) : (
    <Anchor component="button" type="button" ta="left" onClick={() => onLook(id)} style={{ overflowWrap: 'anywhere' }}>
      {name}
    </Anchor>
  );

const TokensIn = ({ of: { inputTokens, cachedTokens } }: { of: UsageItem }) => (
  <>
    {formatCompact(inputTokens)}
    {cachedTokens > 0 && (
      <Text fz="xs" c="dimmed">
        {formatCompact(cachedTokens)} cached
      </Text>
    )}
  </>
);

const Part = ({ of, all }: { of: number; all: number }) =>
  all === 0 ? (
    <Text c="dimmed">–</Text>
  ) : (
    <>
      {formatShare(of / all)}
      <Bar share={of / all} />
    </>
  );
