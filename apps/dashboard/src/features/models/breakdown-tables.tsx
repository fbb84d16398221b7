import type { api, ReplyOf } from '@callsmith/contracts';
import { Anchor, Stack, Text, Title } from '@mantine/core';
import { Link } from 'react-router';
import { linkTo } from '../../lib/address.ts';
import { formatCount, formatShare } from '../../lib/format.ts';
import { DataTable } from '../../ui/data-table.tsx';
import type { Column } from '../../ui/table-column.ts';
import { Timestamp } from '../../ui/timestamp.tsx';

type Breakdown = ReplyOf<typeof api.models.breakdown>;

interface Row {
  readonly name: string;
  /** Its failures. */
  readonly to: string;
  readonly total: number;
  readonly repaired: number;
  /** Failed, or went out invalid. */
  readonly bad: number;
}

/** How a model's calls came out by tool and its requests by client, what tool prompts cost, and which engines answered. */
export function BreakdownTables({ model, breakdown }: { model: string; breakdown: Breakdown }) {
  const { tools, clients, toolPrompt, engines } = breakdown;
  const byTool = tools.map(({ tool, clean, repaired, invalid, failed }) => ({
    name: tool,
    to: linkTo('/failures', { model, tool }),
    total: clean + repaired + invalid + failed,
    repaired,
    bad: invalid + failed,
  }));
  const byClient = clients.map(({ client, counts: { clean, repaired, invalid, failed } }) => ({
    name: client,
    to: linkTo('/failures', { model, client }),
    total: clean + repaired + invalid + failed,
    repaired,
    bad: invalid + failed,
  }));
  return (
    <Stack>
      <Shares title="By tool" unit="Calls" rows={byTool} />
      <Shares title="By client" unit="Requests with calls" rows={byClient} />
      <section>
        <Title order={3} fz="sm" mb={4}>
          Tokens of the tool prompt
        </Title>
        {toolPrompt.length === 0 && (
          <Text fz="sm" c="dimmed">
            None: the strategy in use adds no tool prompt.
          </Text>
        )}
        {toolPrompt.map(({ strategy, turns, tokens, inputTokens }) => (
          <Text key={strategy} fz="sm">
            {strategy}: {formatCount(Math.round(tokens / Math.max(1, turns)))} tokens per request,{' '}
            {formatShare(tokens / Math.max(1, inputTokens))} of all input tokens of {formatCount(turns)} requests
          </Text>
        ))}
      </section>
      <section>
        <Title order={3} fz="sm" mb={4}>
          Engine versions
        </Title>
        {engines.length === 0 && (
          <Text fz="sm" c="dimmed">
            None known in this time range.
          </Text>
        )}
        {engines.map(({ version, turns, firstAt, lastAt }) => (
          <Text key={version} fz="sm">
            {version}: {formatCount(turns)} requests, <Timestamp at={firstAt} /> to <Timestamp at={lastAt} />
          </Text>
        ))}
      </section>
    </Stack>
  );
}

function Shares({ title, unit, rows }: { title: string; unit: string; rows: readonly Row[] }) {
  const shown = rows.filter(({ total }) => total > 0);
  return (
    <section>
      <Title order={3} fz="sm" mb={4}>
        {title}
      </Title>
      {shown.length === 0 ? (
        <Text fz="sm" c="dimmed">
          No calls in this time range.
        </Text>
      ) : (
        <DataTable label={title} rows={shown} rowKey={({ name }) => name} columns={columns(unit)} maxHeight="300px" />
      )}
    </section>
  );
}

const columns = (unit: string): Column<Row>[] => [
  {
    key: 'name',
    title: 'Name',
    cell: (row) => (
      <Anchor component={Link} to={row.to} inherit style={{ overflowWrap: 'anywhere' }}>
        {row.name}
      </Anchor>
    ),
  },
  { key: 'total', title: unit, right: true, cell: ({ total }) => formatCount(total) },
  { key: 'repaired', title: 'Repaired', right: true, cell: ({ repaired, total }) => formatShare(repaired / total) },
  { key: 'bad', title: 'Failed or invalid', right: true, cell: ({ bad, total }) => formatShare(bad / total) },
];
