import type { Key } from '@callsmith/contracts';
import { ActionIcon, Checkbox, Group, Menu, Text } from '@mantine/core';
import { IconBan, IconDots, IconGauge, IconPlugConnected, IconRefresh } from '@tabler/icons-react';
import { useAddress } from '../../lib/address.ts';
import { formatCompact, formatCount, formatMoney, formatShare, plural } from '../../lib/format.ts';
import { few, judged, malformedRate } from '../../lib/outcomes.ts';
import { useMe } from '../../lib/session.ts';
import { ManagedTag } from '../../ui/managed-tag.tsx';
import { Ago } from '../../ui/moment.tsx';
import type { Column } from '../../ui/table-column.ts';
import { Tag } from '../../ui/tag.tsx';
import type { Usage } from './queries.ts';

/** Which keys are chosen, to be changed together. */
export interface Choice {
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
  choice: Choice,
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
          <Text fw={550} td={key.revokedAt ? 'line-through' : undefined}>
            {key.holder}
          </Text>
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
  { key: 'state', title: 'State', cell: (key) => <State of={key} />, sort: (key) => key.revokedAt ?? key.expiresAt },
  { key: 'limits', title: 'Limits', cell: (key) => <Limits of={key} />, hideBelow: 'Md' },
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
          <Ago at={key.lastUsedAt} />
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
    cell: (key) => <Ago at={key.createdAt} />,
    sort: (key) => key.createdAt,
    hideBelow: 'Lg',
  },
  ...(mayChange
    ? [{ key: 'do', title: 'Actions', untitled: true, right: true, cell: (key: Key) => <Actions of={key} /> }]
    : []),
];

function State({ of: key }: { of: Key }) {
  if (key.revokedAt)
    return (
      <Text c="dimmed" component="div">
        Revoked <Ago at={key.revokedAt} />
      </Text>
    );
  if (!key.expiresAt) return 'Active';
  if (Date.parse(key.expiresAt) < Date.now()) return <Text c="dimmed">Expired</Text>;
  return (
    <>
      Active, expires <Ago at={key.expiresAt} />
    </>
  );
}

function Limits({ of: key }: { of: Key }) {
  const { currency } = useMe().installation;
  const limits = [
    key.allowedModels && plural(key.allowedModels.length, 'model'),
    key.requestsPerMinute && `${formatCount(key.requestsPerMinute)} requests/min`,
    key.tokensPerMinute && `${formatCompact(key.tokensPerMinute)} tokens/min`,
    key.concurrentStreams && `${formatCount(key.concurrentStreams)} concurrent`,
    key.tokenBudget && `${formatCompact(key.tokenBudget)} tokens/${key.budgetPeriod ?? 'total'}`,
    key.spendBudget && `${formatMoney(key.spendBudget, currency)}/${key.budgetPeriod ?? 'total'}`,
  ].filter(Boolean);
  return limits.length > 0 ? limits.join(' · ') : <Text c="dimmed">none</Text>;
}

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

function Actions({ of: key }: { of: Key }) {
  const address = useAddress();
  if (key.revokedAt || key.kind === 'demo') return null;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for the key of ${key.holder}`}>
          <IconDots size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconPlugConnected size={15} />} onClick={() => address.set({ connect: key.id })}>
          Connect link…
        </Menu.Item>
        {key.managedBy === null && (
          <>
            <Menu.Item leftSection={<IconGauge size={15} />} onClick={() => address.set({ limits: key.id })}>
              Owner and limits…
            </Menu.Item>
            <Menu.Item leftSection={<IconRefresh size={15} />} onClick={() => address.set({ rotate: key.id })}>
              Rotate…
            </Menu.Item>
            <Menu.Item leftSection={<IconBan size={15} />} color="red" onClick={() => address.set({ revoke: key.id })}>
              Revoke…
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
