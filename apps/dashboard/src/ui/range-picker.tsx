import { Button, CloseButton, Group, Popover, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconCalendar } from '@tabler/icons-react';
import { type SyntheticEvent, useState } from 'react';
import { useAddress } from '../lib/address.ts';
import { boundsOf, type Period, ranges, sayBounds } from '../lib/period.ts';

const data = Object.keys(ranges).map((value) => ({ value, label: value.replace(/(\d+)/, '$1\u00a0') }));
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Picks the time range that stands in the address: the last hours or days, or between two instants. */
export function RangePicker({ period }: { period: Period }) {
  const address = useAddress();
  const [open, { toggle, close }] = useDisclosure(false);
  const custom = 'from' in period;
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
      <Popover opened={open} onChange={close} position="bottom-end" trapFocus returnFocus withArrow>
        <Popover.Target>
          <Button
            variant="default"
            size="xs"
            leftSection={<IconCalendar size={14} aria-hidden="true" />}
            onClick={toggle}
            aria-label={custom ? `Custom time range: ${sayBounds(period)}` : 'Custom time range'}
          >
            {custom ? sayBounds(period) : 'Custom'}
          </Button>
        </Popover.Target>
        <Popover.Dropdown>
          <Bounds
            period={period}
            onApply={(bounds) => {
              close();
              address.set({ ...bounds, range: null }, true);
            }}
          />
        </Popover.Dropdown>
      </Popover>
      {custom && (
        <CloseButton
          size="sm"
          aria-label="Clear time range"
          onClick={() => address.set({ from: null, to: null, range: null })}
        />
      )}
    </Group>
  );
}

/** The two instants of a time range, to the minute, in local time. */
function Bounds({
  period,
  onApply,
}: {
  period: Period;
  onApply: (bounds: { readonly from: string; readonly to: string }) => void;
}) {
  const bounds = boundsOf(period);
  const [from, setFrom] = useState(local(bounds.from));
  const [to, setTo] = useState(local(bounds.to ?? new Date().toISOString()));
  const [start, end] = [Date.parse(from), Date.parse(to)];
  const complete = !Number.isNaN(start) && !Number.isNaN(end);
  const apply = (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (complete && start < end) onApply({ from: new Date(start).toISOString(), to: new Date(end).toISOString() });
  };
  const field = (label: string, value: string, set: (value: string) => void) => (
    <TextInput
      type="datetime-local"
      size="xs"
      label={label}
      value={value}
      onChange={(event) => set(event.currentTarget.value)}
      max="9999-12-31T23:59"
    />
  );
  return (
    <form onSubmit={apply}>
      <Stack gap="xs">
        {field('From', from, setFrom)}
        {field('To', to, setTo)}
        {complete && start >= end && (
          <Text fz="xs" c="var(--mantine-color-error)" role="alert">
            From must be before To.
          </Text>
        )}
        <Text fz="xs" c="dimmed">
          Local time ({zone})
        </Text>
        <Button type="submit" size="xs" disabled={!complete || start >= end}>
          Apply
        </Button>
      </Stack>
    </form>
  );
}

/** An instant as a field for local date and time takes it, e.g. `2026-11-22T14:05`. */
function local(instant: string): string {
  const at = new Date(instant);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
