import { SegmentedControl } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useAddress } from '../../lib/address.ts';
import { formatCount, plural } from '../../lib/format.ts';
import { type Period, periodOf, sayPeriod } from '../../lib/period.ts';
import { Page } from '../../ui/page.tsx';
import { RangePicker } from '../../ui/range-picker.tsx';
import { Empty, LoadingRows, Problem } from '../../ui/states.tsx';
import { ClusterList, groupKey } from './cluster-list.tsx';
import { FailureList } from './failure-list.tsx';
import { filterNames, filterOf } from './filter.ts';
import { FilterBar } from './filter-bar.tsx';
import { ListDialogs, ListTools } from './list-tools.tsx';
import css from './page.module.css';
import { type Clusters, clustersQuery, turnsQuery } from './queries.ts';
import { SelectedRequest } from './selected-request.tsx';
import { useFailureKeys } from './use-failure-keys.ts';
import { useKeptFirst, useKeptGroup } from './use-kept-choice.ts';

/** What went wrong, by what belongs together or one by one; beside it the one chosen, at first the newest. */
export function FailuresPage() {
  const address = useAddress();
  const wide = useMediaQuery('(min-width: 75em)', true, { getInitialValueInEffect: false });
  const view = viewOf(address.get('view'));
  const list = view === 'list';
  const period = periodOf(address.params);
  const filter = filterOf(address.params);
  const clusters = useQuery({ ...clustersQuery(period, filter) });
  const failures = useInfiniteQuery({ ...turnsQuery(period, filter, false), enabled: list });
  const rows = failures.data?.pages.flatMap((page) => page.items) ?? [];
  const shown = list ? failures : clusters;
  const groups = clusters.data?.items ?? [];
  const newest = list ? rows[0]?.id : groups[0]?.newestTurn;
  const first = useKeptFirst(shown.isPlaceholderData ? undefined : newest, JSON.stringify([view, period, filter]));
  const chosen = address.get('turn') ?? (wide ? first : undefined);
  const items = useKeptGroup(groups, groupKey, chosen);
  useFailureKeys(list ? rows.map(({ id }) => id) : items.map(({ newestTurn }) => newestTurn), chosen);
  const listed = { period, filter, all: false };
  const none = list ? failures.data && rows.length === 0 : clusters.data && items.length === 0;
  return (
    <Page
      title="Failures"
      say={clusters.data && sayCount(clusters.data, period)}
      actions={
        <>
          <SegmentedControl
            size="xs"
            aria-label="View"
            data={[
              { value: 'clusters', label: 'Grouped' },
              { value: 'list', label: 'List' },
            ]}
            value={view}
            onChange={(chosenView) => address.set({ view: chosenView === 'clusters' ? null : chosenView, turn: null })}
          />
          <RangePicker period={period} />
          <ListTools {...listed} files={list} some={shown.data !== undefined && !none} />
        </>
      }
    >
      <FilterBar
        models={[...new Set(items.map((item) => item.model))].sort()}
        clients={[...new Set(items.flatMap((item) => item.clients))].sort()}
      />
      {shown.isError && !shown.data && <Problem error={shown.error} onRetry={() => void shown.refetch()} />}
      {shown.isPending && <LoadingRows rows={10} />}
      {none && <Nothing period={period} filtered={filterNames.some((name) => address.get(name))} />}
      {shown.data && !none && (
        <div className={wide && chosen ? css.split : undefined}>
          {list ? (
            <FailureList
              title="Failed and repaired requests"
              rows={rows}
              chosen={chosen}
              wide={wide}
              {...(failures.hasNextPage ? { onEnd: () => void failures.fetchNextPage() } : {})}
            />
          ) : (
            <ClusterList items={items} chosen={chosen} wide={wide} />
          )}
          {wide && chosen && <SelectedRequest label="Selected failure" id={chosen} />}
        </div>
      )}
      <ListDialogs {...listed} files={list} />
    </Page>
  );
}

const viewOf = (word: string | undefined) => (word === 'list' ? word : 'clusters');

function sayCount({ items, groups, total, newest }: Clusters, period: Period): string {
  if (total === 0) return `None in ${sayPeriod(period)}`;
  const sum = newest === null ? plural(total, 'failure') : `The newest ${plural(newest, 'failure')}`;
  const listed = groups > items.length ? `, the largest ${formatCount(items.length)} listed` : '';
  return `${sum} in ${sayPeriod(period)}, in ${plural(groups, 'group')}${listed}`;
}

const Nothing = ({ period, filtered }: { period: Period; filtered: boolean }) => (
  <Empty title={filtered ? `No matching failures in ${sayPeriod(period)}` : `No failures in ${sayPeriod(period)}`}>
    {filtered
      ? 'No results match these filters. Clear them or choose a longer time range.'
      : 'Requests with repaired or failed calls, and requests that ended in an error, appear here.'}
  </Empty>
);
