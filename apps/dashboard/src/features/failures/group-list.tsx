import { type Cluster, filterNames } from '@callsmith/contracts';
import { Anchor, VisuallyHidden } from '@mantine/core';
import { Link } from 'react-router';
import { linkTo, useAddress } from '../../lib/address.ts';
import { classTexts } from '../../lib/explain.ts';
import { formatClock, formatCount } from '../../lib/format.ts';
import { LongList } from '../../ui/long-list.tsx';
import { RowLink } from '../../ui/row-link.tsx';
import { Tag } from '../../ui/tag.tsx';
import { RelativeTime } from '../../ui/timestamp.tsx';
import { stateText } from './failure-work/state-text.ts';
import css from './group-list.module.css';
import { useRequestAddress } from './request-address.ts';

/** Failures that belong together: how many, since when, whose, and what changed just before. */
export function GroupList({
  items,
  selected,
  wide,
  onEnd,
}: {
  items: readonly Cluster[];
  /** The request that is read. */
  selected: string | undefined;
  wide: boolean;
  onEnd?: () => void;
}) {
  const addressOf = useRequestAddress(wide);
  const alike = lookAlikes(items);
  return (
    <LongList
      label="Failure groups"
      items={items}
      itemKey={(item) => item.group}
      selected={(item) => item.newestTurn === selected}
      itemHeight={104}
      maxHeight="calc(100dvh - 190px)"
      {...(onEnd ? { onEnd } : {})}
      draw={(item) => (
        <div className={`${css.item} ${item.newestTurn === selected ? css.selected : ''}`}>
          <div className={css.head}>
            <RowLink to={addressOf(item.newestTurn)} current={item.newestTurn === selected}>
              {item.class ?? item.errorCode ?? 'Failed or repaired'}
            </RowLink>
            <span className={css.count}>{formatCount(item.count)}</span>
          </div>
          <div className={css.tags}>
            <span className={css.model}>{item.model}</span>
            {item.strategyUsed && <Tag kind="quiet">{item.strategyUsed}</Tag>}
            {item.tool && (
              <Tag kind="quiet">
                <span className="mono">{item.tool}</span>
              </Tag>
            )}
            <WorkTags item={item} />
            {alike.has(looksOf(item)) && <Tag kind="quiet">{patternOf(item)}</Tag>}
          </div>
          <div className={css.about}>
            {item.class && <div>{classTexts[item.class]}</div>}
            <div className={css.actions}>
              <span>
                first {formatClock(item.firstAt)}, last <RelativeTime at={item.lastAt} />
                {item.clients.length > 0 && ` · ${item.clients.join(', ')}`}
              </span>
              {item.count > 1 && <ShowAll item={item} />}
              <Details item={item} />
            </div>
          </div>
          {item.changes.map((change) => (
            <div key={change.at + change.what} className={css.change}>
              {formatClock(change.at)} {change.what}
            </div>
          ))}
        </div>
      )}
    />
  );
}

const looksOf = ({ class: name, errorCode, model, strategyUsed, tool }: Cluster): string =>
  [name ?? errorCode, model, strategyUsed, tool].join('\n');

/** What several groups look like: they differ only in what is not shown of others. */
function lookAlikes(items: readonly Cluster[]): ReadonlySet<string> {
  const seen = new Set<string>();
  return new Set(items.map(looksOf).filter((looks) => seen.size === seen.add(looks).size));
}

/** What distinguishes a group from others that look the same: the form of its calls' arguments, or that its model was not looked up. */
function patternOf({ shape, modelId }: Cluster): string {
  if (shape) return `arguments ${shape.slice(0, 6)}`;
  return modelId === null ? 'refused before the model was looked up' : 'no arguments';
}

/** What was decided about a group, as far as it is not just open. */
function WorkTags({ item: { work, isNew } }: { item: Cluster }) {
  return (
    <>
      {isNew && <Tag kind="accent">New</Tag>}
      {work.state !== 'open' && <Tag kind={work.state === 'regressed' ? 'accent' : 'quiet'}>{stateText(work)}</Tag>}
      {work.assignee && <Tag kind="quiet">{work.assignee.email}</Tag>}
    </>
  );
}

function Details({ item }: { item: Cluster }) {
  const address = useAddress();
  return (
    <Anchor
      component="button"
      type="button"
      inherit
      pos="relative"
      style={{ zIndex: 2 }}
      onClick={() => address.set({ story: item.group })}
    >
      Details<VisuallyHidden> of {item.class ?? item.errorCode ?? 'this group'}</VisuallyHidden>
    </Anchor>
  );
}

function ShowAll({ item }: { item: Cluster }) {
  const { params } = useAddress();
  const filters = Object.fromEntries(
    ['range', 'from', 'to', ...filterNames].map((name) => [name, params.get(name)] as const),
  );
  return (
    <Anchor
      component={Link}
      inherit
      pos="relative"
      style={{ zIndex: 2 }}
      to={linkTo('/failures', { ...filters, view: 'list', group: item.group })}
    >
      Show all {formatCount(item.count)}
    </Anchor>
  );
}
