import { Anchor, Group, Text } from '@mantine/core';
import { Link } from 'react-router';
import { linkTo } from '../../lib/address.ts';
import { classTexts } from '../../lib/explain.ts';
import { formatCount } from '../../lib/format.ts';
import { periodQuery } from '../../lib/period.ts';
import { Card } from '../../ui/card.tsx';
import css from './classes.module.css';
import type { Overview, OverviewFilter } from './queries.ts';

/** Why calls are not clean, most often first. */
export function Classes({ data, filter }: { data: Overview; filter: OverviewFilter }) {
  const most = Math.max(1, ...data.classes.map(({ count }) => count));
  const query = { ...periodQuery(filter.period), model: filter.model, client: filter.client, team: filter.teamId };
  return (
    <Card title="Failure causes">
      {data.classes.length === 0 ? (
        <Text c="dimmed">No malformed calls.</Text>
      ) : (
        <ul className={css.list}>
          {data.classes.map((row) => (
            <li key={row.class}>
              <Group justify="space-between" wrap="nowrap" gap="xs">
                <Anchor
                  component={Link}
                  to={linkTo('/failures', { ...query, class: row.class })}
                  fz="sm"
                  title={classTexts[row.class]}
                >
                  {row.class}
                </Anchor>
                <Text fz="sm">{formatCount(row.count)}</Text>
              </Group>
              <div className={css.bar}>
                <div className={css.fill} style={{ width: `${(row.count / most) * 100}%` }} />
              </div>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
