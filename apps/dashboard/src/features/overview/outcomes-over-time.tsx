import { Anchor, Box, Group, SegmentedControl, Text } from '@mantine/core';
import { Link } from 'react-router';
import { linkTo, useAddress } from '../../lib/address.ts';
import { axisFormat, formatCount, formatMoment, formatShare } from '../../lib/format.ts';
import { callOutcomes, judged, outcomeTexts } from '../../lib/outcomes.ts';
import { Card } from '../../ui/card.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import type { Column } from '../../ui/table-column.ts';
import { TableSwitch } from '../../ui/table-switch.tsx';
import { OutcomesChart } from './outcomes-chart.tsx';
import css from './outcomes-over-time.module.css';
import type { Overview, OverviewFilter } from './queries.ts';
import type { Marked } from './strategy-lines.ts';

type Point = Overview['series'][number];

/** Outcomes over time as a chart or as a table; a column leads to its failures. */
export function OutcomesOverTime({ data, filter }: { data: Overview & Marked; filter: OverviewFilter }) {
  const address = useAddress();
  const table = address.get('outcomes') === 'table';
  const unit = address.get('counts') ? 'count' : 'share';
  const failuresAt = (point: Point) =>
    linkTo('/failures', {
      from: point.at,
      to: new Date(Math.min(Date.parse(point.at) + data.step * 1000, Date.parse(data.to))).toISOString(),
      model: filter.model,
      client: filter.client,
      team: filter.teamId,
      key: filter.keyId,
    });
  return (
    <Card
      title={filter.model ? `Outcomes of ${filter.model}` : 'Outcomes over time'}
      subtitle={!table && <Legend />}
      flush={table}
      aside={
        <>
          {!table && (
            <SegmentedControl
              size="xs"
              aria-label="Unit"
              data={[
                { value: 'share', label: 'Share' },
                { value: 'count', label: 'Count' },
              ]}
              value={unit}
              onChange={(value) => address.set({ counts: value === 'count' ? 'yes' : null })}
            />
          )}
          <TableSwitch table={table} onChange={(on) => address.set({ outcomes: on ? 'table' : null })} />
        </>
      }
    >
      {table ? (
        <DataTable
          label="Outcomes over time"
          rows={data.series.filter((point) => judged(point.counts) + point.counts.none > 0).reverse()}
          rowKey={(point) => point.at}
          columns={columns(failuresAt, axisFormat(data.series.length, data.step))}
          sortName="point"
          maxHeight="280px"
        />
      ) : (
        <>
          <OutcomesChart data={data} unit={unit} failuresAt={failuresAt} />
          <UncheckedNote data={data} />
        </>
      )}
    </Card>
  );
}

const columns = (failuresAt: (point: Point) => string, formatStart: (at: string) => string): Column<Point>[] => [
  {
    key: 'at',
    title: 'From',
    cell: (point) => (
      <Anchor component={Link} to={failuresAt(point)} inherit>
        {formatStart(point.at)}
      </Anchor>
    ),
    sort: (point) => point.at,
  },
  ...callOutcomes.map(
    (outcome): Column<Point> => ({
      key: outcome,
      title: outcome[0]?.toUpperCase() + outcome.slice(1),
      right: true,
      cell: (point) => formatCount(point.counts[outcome]),
      sort: (point) => point.counts[outcome],
    }),
  ),
  {
    key: 'none',
    title: 'No call',
    right: true,
    hideBelow: 'Sm',
    cell: (point) => formatCount(point.counts.none),
    sort: (point) => point.counts.none,
  },
  {
    key: 'malformed',
    title: 'Malformed',
    right: true,
    cell: (point) => (judged(point.counts) > 0 ? formatShare(1 - point.counts.clean / judged(point.counts)) : '–'),
    sort: (point) => (judged(point.counts) > 0 ? 1 - point.counts.clean / judged(point.counts) : null),
  },
];

/** Where the chart begins before calls were checked against their schema. */
const UncheckedNote = ({ data: { from, validitySince } }: { data: Overview }) =>
  validitySince !== null && Date.parse(from) < Date.parse(validitySince) ? (
    <Text fz="xs" c="dimmed" mt={6}>
      Calls before {formatMoment(validitySince)} were not checked against their tool’s schema: none of them counts as
      invalid.
    </Text>
  ) : null;

const Legend = () => (
  <Group gap="2px 16px" mt={2}>
    {callOutcomes.map((outcome) => (
      <Group key={outcome} gap={6} wrap="nowrap" title={outcomeTexts[outcome]}>
        <Box className={`${css.swatch} ${css[outcome]}`} m={0} />
        <Text component="span" inherit>
          {outcome}
        </Text>
      </Group>
    ))}
    <Group gap={6} wrap="nowrap">
      <Box className={css.line} />
      <Text component="span" inherit>
        strategy change
      </Text>
    </Group>
  </Group>
);
