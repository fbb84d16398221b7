import type { BudgetHistory, Model } from '@callsmith/contracts';
import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { formatCount, formatShare } from '../../lib/format.ts';
import type { Period } from '../../lib/period.ts';
import { Card } from '../../ui/card.tsx';
import { Tag } from '../../ui/tag.tsx';
import { budgetLine } from './budget-line.ts';
import css from './budget-panel.module.css';
import { evidenceQuery } from './queries.ts';

const [width, height] = [300, 72];

/** How much of the model's failure budget is left, day by day, and how fast it is used up now. */
export function BudgetPanel({ model, period }: { model: Model; period: Period }) {
  const evidence = useQuery(evidenceQuery(model.id, period));
  if (!evidence.data) return null;
  const { budget } = evidence.data;
  const { percentage, calls, failed, remaining, fast, slow } = budget;
  return (
    <Card
      title="Failure budget"
      subtitle={`At most ${percentage} % of requests with calls may fail or go out invalid over 30 days.`}
    >
      {remaining === null ? (
        <Text c="dimmed">No requests with calls in the last 30 days.</Text>
      ) : (
        <Stack gap="sm">
          <Text>
            <b>{remaining >= 0 ? `${formatShare(remaining)} left` : `Overdrawn ${(1 - remaining).toFixed(1)} times`}</b>{' '}
            <Text span c="dimmed" fz="sm">
              {formatCount(failed)} of {formatCount(calls)} failed or went out invalid
            </Text>
          </Text>
          <Chart budget={budget} />
          <Burn name="Fast burn" burn={fast} />
          <Burn name="Slow burn" burn={slow} />
        </Stack>
      )}
    </Card>
  );
}

/** What is left of the budget at the end of each day; what is overdrawn stays on the ground. */
const Chart = ({ budget }: { budget: BudgetHistory }) => {
  const points = budgetLine(budget);
  const x = (at: number) => at * width;
  const y = (left: number) => height - 2 - left * (height - 4);
  const line = points.map(({ at, left }, n) => `${n === 0 ? 'M' : 'L'}${x(at).toFixed(1)} ${y(left).toFixed(1)}`);
  return (
    <svg
      className={css.chart}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`What was left of the budget on each of ${points.length - 1} days, at last ${formatShare(points.at(-1)?.left ?? 1)}`}
    >
      <path d={`M0 ${height - 2}H${width}`} stroke="var(--line-strong)" vectorEffect="non-scaling-stroke" />
      <path
        d={line.join('')}
        fill="none"
        stroke={(budget.remaining ?? 0) < 0 ? 'var(--failed)' : 'var(--clean)'}
        strokeWidth="2"
        strokeLinejoin="round"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  );
};

const Burn = ({ name, burn }: { name: string; burn: BudgetHistory['fast'] }) => (
  <Text fz="sm">
    {name}:{' '}
    {burn === null ? (
      <Text span c="dimmed" fz="inherit">
        too few calls in a day to tell
      </Text>
    ) : (
      <>
        {burn.times.toFixed(1)} times the budget over {spanText(burn.minutes)}{' '}
        <Text span c="dimmed" fz="inherit">
          (n={formatCount(burn.calls)}; {burn.most} times is too fast)
        </Text>{' '}
        {burn.tooFast && <Tag kind="accent">too fast</Tag>}
      </>
    )}
  </Text>
);

const spanText = (minutes: number): string => (minutes === 60 ? 'the last hour' : `the last ${minutes / 60} hours`);
