import type { Cluster } from '@callsmith/contracts';
import { Anchor, Group, Text } from '@mantine/core';
import { Link } from 'react-router';
import { to, useAddress } from '../../lib/address.ts';
import { classSay } from '../../lib/explain.ts';
import { formatClock, formatCount } from '../../lib/format.ts';
import { periodOf, periodQuery } from '../../lib/period.ts';
import { Ago } from '../../ui/moment.tsx';
import { RowLink } from '../../ui/row-link.tsx';
import { Tag } from '../../ui/tag.tsx';
import css from './cluster-list.module.css';
import { useRequestAddress } from './request-address.ts';

/** Failures that belong together: how many, since when, whose, and what changed just before. */
export function ClusterList({
  items,
  chosen,
  wide,
}: {
  items: readonly Cluster[];
  chosen: string | undefined;
  wide: boolean;
}) {
  const addressOf = useRequestAddress(wide);
  return (
    <ul className={css.list} aria-label="Failure groups">
      {items.map((item) => (
        <li key={groupKey(item)} className={`${css.item} ${item.newestTurn === chosen ? css.chosen : ''}`}>
          <Group justify="space-between" wrap="nowrap" align="baseline" gap="sm">
            <RowLink to={addressOf(item.newestTurn)} current={item.newestTurn === chosen}>
              {item.class ?? item.errorCode ?? 'Failed or repaired'}
            </RowLink>
            <Text fw={650}>{formatCount(item.count)}</Text>
          </Group>
          <Group gap={6} my={3}>
            <Text fz="sm" style={{ overflowWrap: 'anywhere' }}>
              {item.model}
            </Text>
            {item.strategyUsed && <Tag kind="quiet">{item.strategyUsed}</Tag>}
            {item.tool && (
              <Tag kind="quiet">
                <span className="mono">{item.tool}</span>
              </Tag>
            )}
          </Group>
          <Text fz="xs" c="dimmed" component="div">
            {item.class && <div>{classSay[item.class]}</div>}
            <Group gap="0 12px">
              <span>
                first {formatClock(item.firstAt)}, last <Ago at={item.lastAt} />
                {item.clients.length > 0 && ` · ${item.clients.join(', ')}`}
              </span>
              {item.count > 1 && <All item={item} />}
            </Group>
          </Text>
          {item.changes.map((change) => (
            <Text key={change.at + change.what} fz="xs" className={css.change ?? ''}>
              {formatClock(change.at)} {change.what}
            </Text>
          ))}
        </li>
      ))}
    </ul>
  );
}

function All({ item }: { item: Cluster }) {
  const address = useAddress();
  return (
    <Anchor
      component={Link}
      inherit
      pos="relative"
      style={{ zIndex: 2 }}
      to={to('/failures', {
        ...periodQuery(periodOf(address.params)),
        view: 'list',
        model: item.model,
        strategy: item.strategyUsed,
        class: item.class,
        tool: item.tool,
        shape: item.shape,
      })}
    >
      Show all {formatCount(item.count)}
    </Anchor>
  );
}

/** What failures of a group have in common. */
export const groupKey = (item: Cluster): string =>
  [item.model, item.strategyUsed, item.class, item.tool, item.shape, item.errorCode].join('\n');
