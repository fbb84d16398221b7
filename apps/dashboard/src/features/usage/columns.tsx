import { Anchor, Text } from '@mantine/core';
import { formatCompact, formatCount, formatShare } from '../../lib/format.ts';
import type { Column } from '../../ui/data-table.tsx';
import { Sparkline } from '../../ui/sparkline.tsx';
import type { By, Usage, UsageItem } from './queries.ts';
import css from './usage.module.css';

const tokens = ({ inputTokens, outputTokens }: { inputTokens: number; outputTokens: number }) =>
  inputTokens + outputTokens;

/** The columns of the list of what is used most; `look` confines the page to one row. */
export const columns = (data: Usage, by: By, look: (id: string) => void): Column<UsageItem>[] => [
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
  {
    key: 'share',
    title: 'Share of tokens',
    ...(by === 'key' && { hideBelow: 'Sm' as const }),
    cell: (item) => <Part of={tokens(item)} all={tokens(data.totals)} />,
    sort: tokens,
  },
  ...(by === 'key'
    ? [
        {
          key: 'budget',
          title: 'Budget left',
          cell: ({ budget }: UsageItem) => <BudgetLeft budget={budget} />,
          sort: ({ budget }: UsageItem) => (budget?.used == null ? null : 1 - budget.used / budget.tokens),
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

function BudgetLeft({ budget }: { budget: UsageItem['budget'] }) {
  if (!budget) return <Text c="dimmed">no budget</Text>;
  if (budget.used === null) return <Text c="dimmed">unavailable</Text>;
  const left = Math.max(0, budget.tokens - budget.used);
  return (
    <>
      {left === 0 ? 'used up' : formatCompact(left)}
      <Text fz="xs" c="dimmed">
        of {formatCompact(budget.tokens)} {budget.period === 'day' ? 'today' : 'this month'}
      </Text>
      <Bar share={budget.used / budget.tokens} over={left === 0} />
    </>
  );
}

const Bar = ({ share, over = false }: { share: number; over?: boolean }) => (
  <div className={css.bar} aria-hidden="true">
    <div className={`${css.fill} ${over ? css.over : ''}`} style={{ width: `${Math.min(100, share * 100)}%` }} />
  </div>
);
