import { SegmentedControl } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useDeferredValue } from 'react';
import { useAddress } from '../../lib/address.ts';
import { plural } from '../../lib/format.ts';
import { type Period, periodOf, periodText } from '../../lib/period.ts';
import { Page } from '../../ui/page.tsx';
import { RangePicker } from '../../ui/range-picker.tsx';
import { LoadingRows, Problem } from '../../ui/states.tsx';
import { FailureList } from './failure-list.tsx';
import { GroupDialog } from './failure-work/group-dialog.tsx';
import { WorkBar, workOf, workWords } from './failure-work/work-bar.tsx';
import { filterOf } from './filter.ts';
import { FilterBar } from './filter-bar.tsx';
import { GroupList } from './group-list.tsx';
import { ListActions, ListDialogs } from './list-actions.tsx';
import { NoFailures } from './no-failures.tsx';
import css from './page.module.css';
import type { Groups } from './queries.ts';
import { SearchFurther } from './search-further.tsx';
import { SelectedRequest } from './selected-request.tsx';
import { useFailures } from './use-failures.ts';
import { ViewsMenu } from './views/views-menu.tsx';

/** What went wrong, by what belongs together or one by one; beside it the one selected, at first the newest. */
export function FailuresPage() {
  const address = useAddress();
  const wide = useMediaQuery('(min-width: 75em)', true, { getInitialValueInEffect: false });
  const list = address.get('view') === 'list';
  const period = periodOf(address.params);
  const filter = filterOf(address.params);
  const work = workOf(address.params);
  const { rows, groups, ref, sums, selected, none, shown, single, more } = useFailures({
    period,
    filter,
    work,
    list,
    wide,
  });
  // The list is drawn first, and marks the selected one at once.
  const read = useDeferredValue(selected, undefined);
  const listed = { period, filter, all: false, files: list };
  return (
    <Page
      title="Failures"
      subtitle={sums && countText(sums, period)}
      actions={
        <>
          <ViewSwitch list={list} />
          <RangePicker period={period} />
          <ViewsMenu screen="failures" />
          <ListActions {...listed} some={shown.data !== undefined && !none} />
        </>
      }
    >
      {!list && <WorkBar lastVisit={sums?.lastVisit ?? null} />}
      <FilterBar period={period} />
      {shown.isError && !shown.data && <Problem error={shown.error} onRetry={() => void shown.refetch()} />}
      {shown.isPending && <LoadingRows rows={10} />}
      {none && <NoFailures period={period} which={list ? undefined : workWords(work)} />}
      {shown.data && !none && (
        <div className={wide && selected ? css.split : undefined}>
          <div ref={ref}>
            {list ? (
              <FailureList
                title="Failed, invalid and repaired requests"
                rows={rows}
                selected={selected}
                wide={wide}
                {...more}
              />
            ) : (
              <GroupList items={groups} selected={selected} wide={wide} {...more} />
            )}
          </div>
          {wide && selected && read && <SelectedRequest label="Selected failure" id={read} />}
        </div>
      )}
      {list && <SearchFurther key={JSON.stringify([period, filter])} requests={single} />}
      <ListDialogs {...listed} />
      {address.get('story') && <GroupDialog />}
    </Page>
  );
}

function ViewSwitch({ list }: { list: boolean }) {
  const address = useAddress();
  return (
    <SegmentedControl
      size="xs"
      aria-label="View"
      data={[
        { value: 'groups', label: 'Grouped' },
        { value: 'list', label: 'List' },
      ]}
      value={list ? 'list' : 'groups'}
      onChange={(to) => address.set({ view: to === 'groups' ? null : to, turn: null })}
    />
  );
}

function countText({ groups, total, newest }: Groups, period: Period): string {
  if (total === 0) return `None in ${periodText(period)}`;
  const sum = newest === null ? plural(total, 'failure') : `The newest ${plural(newest, 'failure')}`;
  return `${sum} in ${periodText(period)}, in ${plural(groups, 'group')}`;
}
