import type { McpServer, McpTool } from '@callsmith/contracts';
import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useAddress } from '../../lib/address.ts';
import { client } from '../../lib/api.ts';
import { formatCompact, formatMillis, plural } from '../../lib/format.ts';
import { Card } from '../../ui/card.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { ManagedTag } from '../../ui/managed-tag.tsx';
import type { Column } from '../../ui/table-column.ts';
import { Tag } from '../../ui/tag.tsx';
import { RelativeTime } from '../../ui/timestamp.tsx';
import { toastError } from '../../ui/toast.ts';
import { mcpServersQuery } from './queries.ts';

/** One server: how it is, what it offers, and what can be done. */
export function ServerCard({ server }: { server: McpServer }) {
  const address = useAddress();
  const queryClient = useQueryClient();
  const look = useMutation({
    mutationFn: () => client.mcpServers.look({ params: { id: server.id } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: mcpServersQuery.queryKey }),
    onError: toastError,
  });
  return (
    <Card
      title={server.name}
      subtitle={<span className="mono">{server.url ?? 'a program on this host'}</span>}
      aside={
        <>
          <Button size="xs" variant="light" onClick={() => address.set({ access: server.id })}>
            Access…
          </Button>
          <Button size="xs" variant="default" onClick={() => look.mutate()} loading={look.isPending}>
            Refresh tools
          </Button>
          {server.managedBy === null && (
            <Button size="xs" variant="default" onClick={() => address.set({ edit: server.id })}>
              Edit…
            </Button>
          )}
          {server.origin === 'admin' && server.managedBy === null && (
            <Button size="xs" variant="subtle" color="gray" onClick={() => address.set({ remove: server.id })}>
              Remove…
            </Button>
          )}
        </>
      }
    >
      <Stack gap="sm">
        <State server={server} />
        {server.tools.length > 0 && (
          <DataTable
            label={`Tools of ${server.name}`}
            rows={server.tools}
            rowKey={({ id }) => id}
            columns={columns((parameters) => address.set({ ...parameters, sort: null }), server)}
            {...(server.tools.length > 20 && { maxHeight: '40vh' })}
          />
        )}
      </Stack>
    </Card>
  );
}

function State({ server: { enabled, health, managedBy, revision, tools } }: { server: McpServer }) {
  const tokens = tools.reduce((sum, tool) => sum + tool.tokens, 0);
  return (
    <Group gap="xs" fz="sm">
      {managedBy === 'file' && <ManagedTag />}
      {!enabled && <Tag kind="quiet">disabled</Tag>}
      {health === null ? (
        <Text fz="sm" c="dimmed">
          not asked yet
        </Text>
      ) : health.ok ? (
        <Text fz="sm">
          {plural(tools.length, 'tool')}, about {formatCompact(tokens)} tokens · revision {revision ?? 'unknown'} ·
          asked <RelativeTime at={health.at} />
        </Text>
      ) : (
        <Text fz="sm" c="red" style={{ overflowWrap: 'anywhere' }}>
          Not reachable (<RelativeTime at={health.at} />
          ): {health.error}
        </Text>
      )}
    </Group>
  );
}

const columns = (open: (parameters: Record<string, string>) => void, server: McpServer): Column<McpTool>[] => [
  {
    key: 'name',
    title: 'Tool',
    cell: ({ name, definition }) => (
      <>
        <span className="mono">{name}</span>
        <Text fz="xs" c="dimmed" lineClamp={2}>
          {definition.description}
        </Text>
      </>
    ),
    sort: ({ name }) => name,
  },
  {
    key: 'tokens',
    title: 'Tokens',
    right: true,
    hideBelow: 'Sm',
    cell: ({ tokens }) => formatCompact(tokens),
    sort: ({ tokens }) => tokens,
  },
  {
    key: 'teams',
    title: 'Access',
    cell: ({ teams }) => (teams.length === 0 ? <Text c="dimmed">nobody</Text> : plural(teams.length, 'team')),
    sort: ({ teams }) => teams.length,
  },
  {
    key: 'calls',
    title: 'Calls, 7 days',
    hideBelow: 'Sm',
    cell: ({ calls }) => <Calls calls={calls} />,
    sort: ({ calls }) => calls.count,
  },
  {
    key: 'state',
    title: 'State',
    cell: (tool) => <ToolState tool={tool} />,
    sort: ({ changedTo, listed, problem }) => (changedTo ? 0 : !listed || problem ? 1 : 2),
  },
  {
    key: 'do',
    title: 'Actions',
    untitled: true,
    right: true,
    cell: ({ name, changedTo }) =>
      changedTo ? (
        <Button size="xs" variant="light" onClick={() => open({ review: server.id, tool: name })}>
          Review…
        </Button>
      ) : (
        <Button
          size="xs"
          variant="subtle"
          onClick={() => open({ try: server.id, tool: name })}
          aria-label={`Try ${name}`}
        >
          Try…
        </Button>
      ),
  },
];

function ToolState({ tool: { changedTo, listed, problem } }: { tool: McpTool }) {
  if (!listed) return <Tag kind="quiet">gone</Tag>;
  if (changedTo) return <Tag kind="accent">changed, held back</Tag>;
  if (problem === null) return <>offered</>;
  return (
    <Text fz="xs" style={{ overflowWrap: 'anywhere' }}>
      not offered: {problem}
    </Text>
  );
}

/** How often, how well and how fast it was called, and by whom. */
function Calls({ calls: { count, failed, meanMs, keys } }: { calls: McpTool['calls'] }) {
  if (count === 0) return <Text c="dimmed">none</Text>;
  const who = keys.slice(0, 3).map((key) => `${key.holder ?? 'a former key'} ${formatCompact(key.count)}`);
  if (keys.length > who.length) who.push('…');
  return (
    <>
      {formatCompact(count)}
      {failed > 0 && `, ${formatCompact(failed)} failed`}
      {meanMs !== null && ` · ${formatMillis(meanMs)}`}
      <Text fz="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {who.join(', ')}
      </Text>
    </>
  );
}
