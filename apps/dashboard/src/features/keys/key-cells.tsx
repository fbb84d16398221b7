import type { Key } from '@callsmith/contracts';
import { Anchor, Checkbox, Group, Text } from '@mantine/core';
import { Link } from 'react-router';
import { formatCompact, formatShare, plural } from '../../lib/format.ts';
import { few, judged, malformedRate } from '../../lib/outcomes.ts';
import { ManagedTag } from '../../ui/managed-tag.tsx';
import { Tag } from '../../ui/tag.tsx';
import { RelativeTime } from '../../ui/timestamp.tsx';
import type { Usage } from './queries.ts';
import { isChangeable, type Selection } from './use-key-selection.ts';

export const Choose = ({ of: key, selection }: { of: Key; selection: Selection }) =>
  isChangeable(key) && (
    <Checkbox
      size="xs"
      aria-label={`Choose the key of ${key.holder}, ${key.hint}`}
      checked={selection.ids.has(key.id)}
      onChange={() => selection.toggle(key.id)}
    />
  );

export const Owner = ({ of: key }: { of: Key }) => (
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
);

/** What was used in the last 24 hours. */
export function Used({ by }: { by: Usage | undefined }) {
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

/** When a key was last used, and by which client. */
export function LastUsed({ of: key }: { of: Key }) {
  if (!key.lastUsedAt) return <Text c="dimmed">never</Text>;
  return (
    <>
      <RelativeTime at={key.lastUsedAt} />
      <Text fz="xs" c="dimmed">
        {key.lastClient}
      </Text>
    </>
  );
}
