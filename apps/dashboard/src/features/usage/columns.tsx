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
    cell: ({ id, name }) =>
      id === '' ? (
        <Text c="dimmed">none</Text>
      ) : (
        <Anchor
          component="button"
          type="button"
          ta="left"
          onClick={() => look(id)}
          style={{ overflowWrap: 'anywhere' }}
        >
          {name}
        </Anchor>
      ),
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
    cell: ({ inputTokens, cachedTokens }) => (
      <>
        {formatCompact(inputTokens)}
        {cachedTokens > 0 && (
          <Text fz="xs" c="dimmed">
            {formatCompact(cachedTokens)} cached
          </Text>
        )}
      </>
    ),
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
  ...(data.totals.spend > 0
    ? [
        {
          key: 'spend',
          title: 'Cost',
          right: true,
          cell: ({ spend }: UsageItem) => (spend > 0 ? formatMoney(spend, currency) : '–'),
          sort: ({ spend }: UsageItem) => spend,
        },
      ]
    : []),
  {
    key: 'share',
    title: 'Share of tokens',
    ...(by === 'key' && { hideBelow: 'Sm' as const }),
    cell: (item) => <Part of={tokens(item)} all={tokens(data.totals)} />,
    sort: tokens,
  },
  ...(by === 'key' || by === 'team'
    ? [
        {
          key: 'budget',
          title: 'Budget left',
          cell: (item: UsageItem) => <BudgetsLeft of={item} />,
          sort: ({ budget, spendBudget }: UsageItem) => {
            const limits = [budget && { ...budget, limit: budget.tokens }, spendBudget];
            const left = limits.flatMap((one) => (one && one.used !== null ? 1 - one.used / one.limit : []));
            return left.length === 0 ? null : Math.min(...left);
          },
        },
      ]
    : []),
];

const Part = ({ of, all }: { of: number; all: number }) =>
  all === 0 ? (
    <Text c="dimmed">–</Text>
  ) : (
    <>
      {formatShare(of / all)}
      <Bar share={of / all} />
    </>
  );
