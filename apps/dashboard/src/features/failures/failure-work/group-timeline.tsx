import type { GroupHistory } from '@callsmith/contracts';
import { Table, Text, Title } from '@mantine/core';
import { formatCount, formatDay, plural } from '../../../lib/format.ts';
import { Timestamp } from '../../../ui/timestamp.tsx';
import { withEmptyDays } from './days.ts';
import css from './group-timeline.module.css';

type Seen = GroupHistory['engines'][number];

/** What is recorded about a group: since when, how often by day, and with which engine versions, clients and tools. */
export function GroupTimeline({ story }: { story: GroupHistory }) {
  const { count, newest, firstAt, lastAt, days, engines, clients, tools } = story;
  if (firstAt === null || lastAt === null)
    return <Text fz="sm">Its requests are no longer on record; metadata is deleted after the retention period.</Text>;
  return (
    <>
      <Text fz="sm">
        {newest === null ? plural(count, 'request') : `The newest ${plural(count, 'request')}`} of the last 90 days;
        first <Timestamp at={firstAt} />, last <Timestamp at={lastAt} />.
      </Text>
      <Days days={days} />
      <Values title="Engine versions" values={engines} unknown="not known" />
      <Values title="Clients" values={clients} unknown="not known" />
      <Values title="Tools called" values={tools} unknown="without a name" />
    </>
  );
}

/** How often by day (UTC): bars of equal width, the highest as high as the box; days without any have none. */
function Days({ days: counted }: { days: GroupHistory['days'] }) {
  const days = withEmptyDays(counted);
  const most = Math.max(...days.map(({ count }) => count), 1);
  const words = days.map(({ at, count }) => `${formatDay(at)}: ${formatCount(count)}`);
  return (
    <div className={css.days} role="img" aria-label={`Requests by day. ${words.slice(-14).join(', ')}`}>
      {days.map(({ at, count }, place) => (
        <span
          key={at}
          className={css.day}
          style={{ height: `${count === 0 ? 0 : Math.max(4, (count / most) * 100)}%` }}
          title={words[place]}
        />
      ))}
    </div>
  );
}

function Values({ title, values, unknown }: { title: string; values: readonly Seen[]; unknown: string }) {
  if (values.length === 0) return null;
  return (
    <section>
      <Title order={3} fz="sm" mb={4}>
        {title}
      </Title>
      <Table.ScrollContainer minWidth={300} type="native">
        <Table aria-label={title} verticalSpacing={4} fz="sm">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Name</Table.Th>
              <Table.Th ta="right">Requests</Table.Th>
              <Table.Th>First</Table.Th>
              <Table.Th>Last</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {values.map(({ value, count, firstAt, lastAt }) => (
              <Table.Tr key={value}>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>{value || unknown}</Table.Td>
                <Table.Td ta="right">{formatCount(count)}</Table.Td>
                <Table.Td>
                  <Timestamp at={firstAt} />
                </Table.Td>
                <Table.Td>
                  <Timestamp at={lastAt} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </section>
  );
}
