import type { api, GroupHistory, InputOf } from '@callsmith/contracts';
import { Button, Group, Menu, Select, Stack, Text, Textarea } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../../lib/api.ts';
import { formatMoment } from '../../../lib/format.ts';
import { Problem } from '../../../ui/states.tsx';
import { stateText } from './state-text.ts';

type Decision = Omit<NonNullable<InputOf<typeof api.turns.work>['body']>, 'group' | 'teamId'>;

const HOUR = 3_600_000;
const mutes = [
  { label: 'For 1 hour', hours: 1 },
  { label: 'For 1 day', hours: 24 },
  { label: 'For 7 days', hours: 168 },
  { label: 'For 30 days', hours: 720 },
] as const;

interface Given {
  readonly story: GroupHistory;
  readonly group: string;
  readonly teamId: string | undefined;
}

/** Resolves, mutes, assigns or annotates a group, and links its fix; each change is saved immediately. */
export function Decisions({ story: { work, people, changes }, group, teamId }: Given) {
  const queryClient = useQueryClient();
  const [note, setNote] = useState(work.note ?? '');
  const save = useMutation({
    mutationFn: (decision: Decision) => client.turns.work({ body: { group, teamId, ...decision } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['failures'] }),
  });
  const { state } = work;
  return (
    <Stack gap="sm">
      <Group gap="xs">
        <Text fz="sm" fw={600} role="status">
          {stateText(work)}
        </Text>
        {state === 'resolved' || state === 'regressed' ? (
          <Button size="xs" variant="default" onClick={() => save.mutate({ resolved: false })}>
            Reopen
          </Button>
        ) : null}
        {state !== 'resolved' && (
          <Button size="xs" onClick={() => save.mutate({ resolved: true, muted: null })}>
            Resolve
          </Button>
        )}
        {state === 'muted' ? (
          <Button size="xs" variant="default" onClick={() => save.mutate({ muted: null })}>
            Unmute
          </Button>
        ) : (
          <Mute onMute={(until) => save.mutate({ muted: { until } })} />
        )}
      </Group>
      <Group gap="sm" align="start" grow preventGrowOverflow={false}>
        <Select
          label="Assigned to"
          placeholder="Nobody"
          data={withOne(people, work.assignee).map(({ id, email }) => ({ value: id, label: email }))}
          value={work.assignee?.id ?? null}
          onChange={(assigneeId) => save.mutate({ assigneeId })}
          clearable
          searchable={people.length > 8}
        />
        <Select
          label="Fix"
          placeholder={changes.length > 0 ? 'Not linked' : 'No changes to this model yet'}
          data={changes.map(({ id, at, what }) => ({ value: id, label: `${formatMoment(at)} ${what}` }))}
          value={work.fixId}
          onChange={(fixId) => save.mutate({ fixId })}
          disabled={changes.length === 0}
          clearable
        />
      </Group>
      <Textarea
        label="Note"
        value={note}
        onChange={({ currentTarget }) => setNote(currentTarget.value)}
        maxLength={2000}
        autosize
        minRows={2}
        maxRows={8}
      />
      {note.trim() !== (work.note ?? '') && (
        <Button size="xs" variant="default" style={{ alignSelf: 'start' }} onClick={() => save.mutate({ note })}>
          Save note
        </Button>
      )}
      {save.error && <Problem error={save.error} />}
    </Stack>
  );
}

/** What was decided, for who does not decide. */
export function Decided({ story: { work, changes } }: Pick<Given, 'story'>) {
  const fix = changes.find(({ id }) => id === work.fixId);
  return (
    <Stack gap={4}>
      <Text fz="sm" fw={600}>
        {stateText(work)}
        {work.assignee && `, assigned to ${work.assignee.email}`}
      </Text>
      {fix && (
        <Text fz="sm">
          Fix: {formatMoment(fix.at)} {fix.what}
        </Text>
      )}
      {work.note && (
        <Text fz="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {work.note}
        </Text>
      )}
    </Stack>
  );
}

function Mute({ onMute }: { onMute: (until: string | null) => void }) {
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <Button size="xs" variant="default">
          Mute…
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {mutes.map(({ label, hours }) => (
          <Menu.Item key={label} onClick={() => onMute(new Date(Date.now() + hours * HOUR).toISOString())}>
            {label}
          </Menu.Item>
        ))}
        <Menu.Item onClick={() => onMute(null)}>Forever</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

type Person = GroupHistory['people'][number];

/** The people, with the one who is assigned though they could not be any more. */
const withOne = (people: readonly Person[], one: Person | null): readonly Person[] =>
  one === null || people.some(({ id }) => id === one.id) ? people : [...people, one];
