import { Button, SegmentedControl } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useAddress } from '../lib/address.ts';
import { formatClock, formatMoment } from '../lib/format.ts';
import { type Period, ranges } from '../lib/period.ts';

const data = Object.keys(ranges).map((value) => ({ value, label: value.replace(/(\d+)/, '$1\u00a0') }));

/** Picks the time range that stands in the address. */
export function RangePicker({ period }: { period: Period }) {
  const address = useAddress();
  if ('from' in period)
    return (
      <Button
        variant="default"
        size="xs"
        rightSection={<IconX size={14} />}
        aria-label="Clear time range"
        onClick={() => address.set({ from: null, to: null })}
      >
        {formatMoment(period.from)} – {formatClock(period.to)}
      </Button>
    );
  return (
    <SegmentedControl
      size="xs"
      data={data}
      value={period.range}
      onChange={(range) => address.set({ range })}
      aria-label="Time range"
    />
  );
}
