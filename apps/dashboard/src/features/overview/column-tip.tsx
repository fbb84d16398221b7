import { Group, Text } from '@mantine/core';
import { formatCount, formatMoment, formatShare } from '../../lib/format.ts';
import { callOutcomes, judged } from '../../lib/outcomes.ts';
import css from '../../ui/chart.module.css';
import type { Overview } from './queries.ts';

/** What a column of the chart means, in numbers. */
export function ColumnTip({ point: { at, counts, classes } }: { point: Overview['series'][number] }) {
  const n = judged(counts);
  const worst = Object.entries(classes).sort(([, a], [, b]) => b - a)[0];
  return (
    <div className={css.tip}>
      <Text fz="xs" fw={600}>
        {formatMoment(at)}
      </Text>
      {[...callOutcomes].reverse().map((outcome) => (
        <Group key={outcome} justify="space-between" gap="lg" fz="xs">
          <span>{outcome}</span>
          <span>
            {formatCount(counts[outcome])}
            {n > 0 && ` · ${formatShare(counts[outcome] / n)}`}
          </span>
        </Group>
      ))}
      <Group justify="space-between" gap="lg" fz="xs" c="dimmed">
        <span>no call</span>
        <span>{formatCount(counts.none)}</span>
      </Group>
      {worst && (
        <Text fz="xs" c="dimmed">
          top cause: {worst[0]}
        </Text>
      )}
    </div>
  );
}
