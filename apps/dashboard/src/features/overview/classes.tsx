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
export function Classes({ data, asked }: { data: Overview; asked: OverviewFilter }) {
  const most = Math.max(1, ...data.classes.map(({ count }) => count));
  const query = { ...periodQuery(asked.period), model: asked.model, client: asked.client, team: asked.teamId };
  return (
    <Card title="Failure causes">
      {data.classes.length === 0 ? (
        <Text c="dimmed">No malformed calls.</Text>
      ) : (
        <ul className={css.list}>
          {data.classes.map((one) => (
            <li key={one.class}>
              <Group justify="space-between" wrap="nowrap" gap="xs">
                <Anchor
                  component={Link}
                  to={linkTo('/failures', { ...query, class: one.class })}
                  fz="sm"
                  title={classTexts[one.class]}
                >
                  {one.class}
                </Anchor>
                <Text fz="sm">{formatCount(one.count)}</Text>
              </Group>
              <div className={css.bar}>
                <div className={css.fill} style={{ width: `${(one.count / most) * 100}%` }} />
              </div>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
