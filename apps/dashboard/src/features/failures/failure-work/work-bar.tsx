import type { WorkFilter } from '@callsmith/contracts';
import { Checkbox, Group, SegmentedControl, Text } from '@mantine/core';
import { useAddress } from '../../../lib/address.ts';
import { RelativeTime } from '../../../ui/timestamp.tsx';

const choices = [
  { value: 'open', label: 'Open' },
  { value: 'new', label: 'New' },
  { value: 'resolved', label: 'Resolved' },
  { value: 'muted', label: 'Muted' },
  { value: 'all', label: 'All' },
] as const;

/** Which groups an address lists: open ones where it says nothing. */
export function workOf(params: URLSearchParams): WorkFilter {
  const state = choices.find(({ value }) => value === params.get('state'))?.value ?? 'open';
  return {
    ...(state !== 'all' && { state }),
    ...(params.get('assignee') === 'me' && { assignee: 'me' }),
  };
}

/** What groups of one kind are called, e.g. `open`; undefined: all are listed. */
export function workWords({ state, assignee }: WorkFilter): string | undefined {
  const words = [...(state ? [state] : []), ...(assignee ? ['assigned'] : [])];
  return words.length > 0 ? words.join(' ') : undefined;
}

/** Chooses groups by what was decided about them. `lastVisit`: what came since is new. */
export function WorkBar({ lastVisit }: { lastVisit: string | null }) {
  const address = useAddress();
  const { state, assignee } = workOf(address.params);
  return (
    <Group gap="sm">
      <SegmentedControl
        size="xs"
        aria-label="State"
        data={[...choices]}
        value={state ?? 'all'}
        onChange={(to) => address.set({ state: to === 'open' ? null : to, turn: null })}
      />
      <Checkbox
        size="xs"
        label="Assigned to me"
        checked={assignee !== undefined}
        onChange={({ currentTarget }) => address.set({ assignee: currentTarget.checked ? 'me' : null, turn: null })}
      />
      {lastVisit !== null && (
        <Text fz="xs" c="dimmed">
          Your last visit: <RelativeTime at={lastVisit} />
        </Text>
      )}
    </Group>
  );
}
