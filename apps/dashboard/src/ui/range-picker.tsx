import { ActionIcon, Button, Group, SegmentedControl } from '@mantine/core';
import { IconCalendar, IconX } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { useAddress } from '../lib/address.ts';
import { boundsText, type Period, ranges } from '../lib/period.ts';

const data = Object.keys(ranges).map((value) => ({ value, label: value.replace(/(\d+)/, '$1\u00a0') }));

// Loaded when somebody first asks for it: Overview does without.
const CustomRange = lazy(async () => ({ default: (await import('./custom-range.tsx')).CustomRange }));

/** Picks the time range in the URL: the last hours or days, or between two instants. */
export function RangePicker({ period }: { period: Period }) {
  const address = useAddress();
  const [open, setOpen] = useState<boolean>();
  const custom = 'from' in period;
  const button = (
    <Button
      variant="default"
      size="xs"
      leftSection={<IconCalendar size={14} aria-hidden="true" />}
      onClick={() => setOpen(!open)}
      aria-label={custom ? `Custom time range: ${boundsText(period)}` : 'Custom time range'}
    >
      {custom ? boundsText(period) : 'Custom'}
    </Button>
  );
  return (
    <Group gap={6} wrap="nowrap">
      {!custom && (
        <SegmentedControl
          size="xs"
          data={data}
          value={period.range}
          onChange={(range) => address.set({ range })}
          aria-label="Time range"
        />
      )}
      {open === undefined ? (
        button
      ) : (
        <Suspense fallback={button}>
          <CustomRange
            period={period}
            opened={open}
            onClose={() => setOpen(false)}
            onApply={(bounds) => {
              setOpen(false);
              address.set({ ...bounds, range: null }, true);
            }}
          >
            {button}
          </CustomRange>
        </Suspense>
      )}
      {custom && (
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label="Clear time range"
          onClick={() => address.set({ from: null, to: null, range: null })}
        >
          <IconX size={15} aria-hidden="true" />
        </ActionIcon>
      )}
    </Group>
  );
}
