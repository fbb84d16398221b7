import type { Key } from '@callsmith/contracts';
import { Anchor, Checkbox, Group, Text } from '@mantine/core';
import { Link } from 'react-router';
import { formatCompact, formatShare, plural } from '../../lib/format.ts';
import { few, judged, malformedRate } from '../../lib/outcomes.ts';
import { ManagedTag } from '../../ui/managed-tag.tsx';
import type { Column } from '../../ui/table-column.ts';
import { Tag } from '../../ui/tag.tsx';
import { RelativeTime } from '../../ui/timestamp.tsx';
import { KeyActions } from './key-actions.tsx';
import { KeyLimits, KeyState } from './key-state.tsx';
import type { Usage } from './queries.ts';
import { RotationNotice } from './rotation-text.tsx';

/** Which keys are chosen, to be changed together. */
export interface Selection {
  readonly ids: ReadonlySet<string>;
  toggle(id: string): void;
}

/** True if a key can be changed here. */
export const isChangeable = ({ revokedAt, kind, managedBy }: Key): boolean =>
  revokedAt === null && kind !== 'demo' && managedBy === null;

/** The columns of the list of keys; with what can be done to one, or to those that are chosen, where that is allowed. */
export const columns = (
  mayChange: boolean,
  usage: ReadonlyMap<string, Usage> | undefined,
  choice: Selection,
): Column<Key>[] => [
  ...(mayChange
    ? [
        {
          key: 'choose',
          title: 'Chosen',
          untitled: true,
          width: '36px',
          cell: (key: Key) =>
            isChangeable(key) && (
              <Checkbox
                size="xs"
                aria-label={`Choose the key of ${key.holder}, ${key.hint}`}
                checked={choice.ids.has(key.id)}
                onChange={() => choice.toggle(key.id)}
              />
            ),
        },
      ]
    : []),
  {
    key: 'holder',
    title: 'Owner',
    cell: (key) => (
      <>
        <Group gap={6}>
          <Anchor component={Link} to={`/keys/${key.id}`} fw={550} td={key.revokedAt ? 'line-through' : undefined}>
            {key.holder}
          </Anchor>
          {key.managedBy === 'file' && <ManagedTag />}
          {key.kind !== 'issued' && key.managedBy === null && (
            <Tag kind="quiet">{key.kind === 'env' ? 'API_KEY' : key.kind}</Tag>
          )}
        </Group>
        <Text fz="xs" c="dimmed" className="mono">
          {key.hint}
        </Text>
      </>
    ),
    sort: (key) => key.holder,
  },
  { key: 'team', title: 'Team', cell: (key) => key.teamName, sort: (key) => key.teamName, hideBelow: 'Sm' },
  {
    key: 'state',
    title: 'State',
    cell: (key) => (
      <>
        <KeyState of={key} />
        <RotationNotice of={key} />
      </>
    ),
    sort: (key) => key.revokedAt ?? key.expiresAt,
  },
  { key: 'limits', title: 'Limits', cell: (key) => <KeyLimits of={key} />, hideBelow: 'Md' },
  {
    key: 'usage',
    title: 'Last 24 h',
    right: true,
    hideBelow: 'Lg',
    cell: (key) => <Used by={usage?.get(key.id)} />,
    sort: (key) => usage?.get(key.id)?.turns ?? 0,
  },
  {
    key: 'used',
    title: 'Last used',
    cell: (key) =>
      key.lastUsedAt ? (
        <>
          <RelativeTime at={key.lastUsedAt} />
          <Text fz="xs" c="dimmed">
            {key.lastClient}
          </Text>
        </>
      ) : (
        <Text c="dimmed">never</Text>
      ),
    sort: (key) => key.lastUsedAt,
  },
  {
    key: 'created',
    title: 'Created',
    cell: (key) => <RelativeTime at={key.createdAt} />,
    sort: (key) => key.createdAt,
    hideBelow: 'Lg',
  },
  ...(mayChange
    ? [{ key: 'do', title: 'Actions', untitled: true, right: true, cell: (key: Key) => <KeyActions of={key} /> }]
    : []),
];

function Used({ by }: { by: Usage | undefined }) {
  if (!by || by.turns === 0) return <Text c="dimmed">–</Text>;
  const share = malformedRate(by.counts);
  return (
    <>
      {plural(by.turns, 'request')}
      <Text fz="xs" c="dimmed">
        {formatCompact(by.inputTokens + by.outputTokens)} tokens
        {share !== null && judged(by.counts) >= few && `, ${formatShare(share)} malformed`}
      </Text>
    </>
  );
}
