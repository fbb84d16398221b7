import { Button, Popover, Stack, Text, TextInput } from '@mantine/core';
import { type ReactNode, type SyntheticEvent, useState } from 'react';
import { boundsOf, type Period } from '../lib/period.ts';

interface Given {
  readonly period: Period;
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly onApply: (bounds: { readonly from: string; readonly to: string }) => void;
  /** The button that opens it. */
  readonly children: ReactNode;
}

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Below its button, the fields of a time range. */
export const CustomRange = ({ period, opened, onClose, onApply, children }: Given) => (
  <Popover opened={opened} onChange={onClose} position="bottom-end" trapFocus returnFocus withArrow>
    <Popover.Target>{children}</Popover.Target>
    <Popover.Dropdown>
      <Bounds period={period} onApply={onApply} />
    </Popover.Dropdown>
  </Popover>
);

/** The two instants of a time range, to the minute, in local time. */
function Bounds({ period, onApply }: Pick<Given, 'period' | 'onApply'>) {
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
