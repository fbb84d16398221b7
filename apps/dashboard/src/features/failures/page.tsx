import { filterNames } from '@callsmith/contracts';
import { SegmentedControl } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useAddress } from '../../lib/address.ts';
import { plural } from '../../lib/format.ts';
import { type Period, periodOf, periodText } from '../../lib/period.ts';
import { Page } from '../../ui/page.tsx';
import { RangePicker } from '../../ui/range-picker.tsx';
import { Empty, LoadingRows, Problem } from '../../ui/states.tsx';
import { FailureList } from './failure-list.tsx';
import { GroupDialog } from './failure-work/group-dialog.tsx';
import { WorkBar, workOf, workWords } from './failure-work/work-bar.tsx';
import { filterOf } from './filter.ts';
import { FilterBar } from './filter-bar.tsx';
import { GroupList } from './group-list.tsx';
import { ListActions, ListDialogs } from './list-actions.tsx';
import css from './page.module.css';
import { type Groups, groupsQuery, turnsQuery } from './queries.ts';
import { SelectedRequest } from './selected-request.tsx';
import { useFailureShortcuts } from './use-failure-shortcuts.ts';
import { useStableFirst, useStableGroups } from './use-stable-selection.ts';
import { ViewsMenu } from './views/views-menu.tsx';

/** What went wrong, by what belongs together or one by one; beside it the one selected, at first the newest. */
export function FailuresPage() {
  const address = useAddress();
  const wide = useMediaQuery('(min-width: 75em)', true, { getInitialValueInEffect: false });
  const view = viewOf(address.get('view'));
  const list = view === 'list';
  const period = periodOf(address.params);
  const filter = filterOf(address.params);
  // In the list only the title tells of groups, and a dialog lies over that.
  const titled = !list || address.get('replay') === undefined;
  const work = workOf(address.params);
  const grouped = useInfiniteQuery({ ...groupsQuery(period, filter, list ? {} : work), enabled: titled });
  const failures = useInfiniteQuery({ ...turnsQuery(period, filter, false), enabled: list });
  const rows = failures.data?.pages.flatMap((page) => page.items) ?? [];
  const shown = list ? failures : grouped;
  const groups = grouped.data?.pages.flatMap((page) => page.items) ?? [];
  const newest = list ? rows[0]?.id : groups[0]?.newestTurn;
  const first = useStableFirst(
    shown.isPlaceholderData ? undefined : newest,
    JSON.stringify([view, period, filter, work]),
  );
  const selected = address.get('turn') ?? (wide ? first : undefined);
  const items = useStableGroups(groups, selected);
  useFailureShortcuts(list ? rows.map(({ id }) => id) : items.map(({ newestTurn }) => newestTurn), selected);
  const sums = grouped.data?.pages[0];
  const listed = { period, filter, all: false };
  const none = list ? failures.data && rows.length === 0 : grouped.data && items.length === 0;
  return (
    <Page
      title="Failures"
      subtitle={sums && countText(sums, period)}
      actions={
        <>
          <SegmentedControl
            size="xs"
            aria-label="View"
            data={[
              { value: 'groups', label: 'Grouped' },
              { value: 'list', label: 'List' },
            ]}
            value={view}
            onChange={(to) => address.set({ view: to === 'groups' ? null : to, turn: null })}
          />
          <RangePicker period={period} />
          <ViewsMenu screen="failures" />
          <ListActions {...listed} files={list} some={shown.data !== undefined && !none} />
        </>
      }
    >
      {!list && <WorkBar lastVisit={sums?.lastVisit ?? null} />}
      <FilterBar period={period} />
      {shown.isError && !shown.data && <Problem error={shown.error} onRetry={() => void shown.refetch()} />}
      {shown.isPending && <LoadingRows rows={10} />}
      {none && (
        <Nothing
          period={period}
          filtered={filterNames.some((name) => address.get(name))}
          which={list ? undefined : workWords(work)}
        />
      )}
      {shown.data && !none && (
        <div className={wide && selected ? css.split : undefined}>
          {list ? (
            <FailureList
              title="Failed, invalid and repaired requests"
              rows={rows}
              selected={selected}
              wide={wide}
              {...(failures.hasNextPage ? { onEnd: () => void failures.fetchNextPage() } : {})}
            />
          ) : (
            <GroupList
              items={items}
              selected={selected}
              wide={wide}
              {...(grouped.hasNextPage ? { onEnd: () => void grouped.fetchNextPage() } : {})}
            />
          )}
          {wide && selected && <SelectedRequest label="Selected failure" id={selected} />}
        </div>
      )}
      <ListDialogs {...listed} files={list} />
      {address.get('story') && <GroupDialog />}
    </Page>
  );
}

const viewOf = (word: string | undefined) => (word === 'list' ? word : 'groups');

function countText({ groups, total, newest }: Groups, period: Period): string {
  if (total === 0) return `None in ${periodText(period)}`;
  const sum = newest === null ? plural(total, 'failure') : `The newest ${plural(newest, 'failure')}`;
  return `${sum} in ${periodText(period)}, in ${plural(groups, 'group')}`;
}

/** `which`: the words for groups of one kind, where those are not all. */
function Nothing({ period, filtered, which }: { period: Period; filtered: boolean; which: string | undefined }) {
  const title = `No ${which ? `${which} ` : ''}${filtered ? 'matching ' : ''}failures in ${periodText(period)}`;
  const elsewhere = which ? ' Groups in other states are under All.' : '';
  return (
    <Empty title={title}>
      {filtered
        ? `No results match these filters. Clear them or choose a longer time range.${elsewhere}`
        : `Requests with repaired or failed calls, and requests that ended in an error, appear here.${elsewhere}`}
    </Empty>
  );
}
