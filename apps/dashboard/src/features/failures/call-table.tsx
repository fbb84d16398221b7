import type { TurnDetail } from '@callsmith/contracts';
import { Text } from '@mantine/core';
import { actionTexts } from '../../lib/explain.ts';
import { formatBytes } from '../../lib/format.ts';
import { Card } from '../../ui/card.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { OutcomeBadge } from '../../ui/outcome.tsx';
import type { Column } from '../../ui/table-column.ts';

type Call = TurnDetail['callList'][number];

/** The calls of a request, dropped ones included. */
export const CallTable = ({ calls }: { calls: readonly Call[] }) => (
  <Card title="Calls" flush>
    <DataTable label="Calls" rows={calls} rowKey={(call) => String(call.n)} columns={columns} sortName="calls" />
  </Card>
);

const columns: Column<Call>[] = [
  {
    key: 'tool',
    title: 'Tool',
    cell: (call) => <span className="mono">{call.tool === '' ? '(no name)' : call.tool}</span>,
  },
  { key: 'outcome', title: 'Outcome', cell: (call) => <OutcomeBadge outcome={call.outcome} /> },
  {
    key: 'why',
    title: 'Cause',
    cell: (call) => call.classes.join(', ') || <Text c="dimmed">–</Text>,
  },
  {
    key: 'rules',
    title: 'Rules',
    hideBelow: 'Sm',
    cell: (call) => <span className="mono">{call.rules.join(', ') || '–'}</span>,
  },
  {
    key: 'action',
    title: 'Action',
    hideBelow: 'Sm',
    cell: (call) => (call.action ? (actionTexts[call.action] ?? call.action) : '–'),
  },
  { key: 'bytes', title: 'Arguments', right: true, hideBelow: 'Md', cell: (call) => formatBytes(call.bytes) },
];
