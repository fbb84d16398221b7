import { Group, Text } from '@mantine/core';
import { formatCount, formatShare } from '../lib/format.ts';
import css from './rate.module.css';

/** A share with its 95 % interval, as the API gives it. */
export interface RateValue {
  readonly value: number;
  readonly low: number;
  readonly high: number;
  readonly n: number;
  readonly few: boolean;
}

/** A rate in words; under 30 requests it says that these are too few. */
export const RateText = ({ rate }: { rate: RateValue | null }) => {
  if (!rate) return <Text c="dimmed">no requests</Text>;
  if (rate.few) return <Text c="dimmed">too few to tell (n={formatCount(rate.n)})</Text>;
  return (
    <Group gap="0 6px" align="baseline">
      <Text fw={600}>{formatShare(rate.value)}</Text>
      <Text c="dimmed" fz="xs" style={{ whiteSpace: 'nowrap' }}>
        {formatShare(rate.low)} to {formatShare(rate.high)}
      </Text>
    </Group>
  );
};

/** The rate's place on a scale from 0 to `max`, with its interval. The words beside it say the same. */
export const RateBar = ({ rate, max }: { rate: RateValue | null; max: number }) => (
  <div className={css.track} aria-hidden="true">
    {rate && (
      <>
        <div
          className={css.interval}
          style={{ left: place(rate.low, max), width: place(rate.high - rate.low, max), opacity: rate.few ? 0.45 : 1 }}
        />
        <div className={css.value} style={{ left: place(rate.value, max), opacity: rate.few ? 0.45 : 1 }} />
      </>
    )}
  </div>
);

const place = (share: number, max: number) => `${Math.min(100, (share / max) * 100)}%`;
