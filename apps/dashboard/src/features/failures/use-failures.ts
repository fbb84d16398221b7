import type { WorkFilter } from '@callsmith/contracts';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useAddress } from '../../lib/address.ts';
import type { Period } from '../../lib/period.ts';
import { type Filter, groupsQuery, stoppedEarly, turnsQuery } from './queries.ts';
import { useFailureShortcuts } from './use-failure-shortcuts.ts';
import { useHeldOrder, useStableFirst, useStableGroups } from './use-stable-selection.ts';

interface Given {
  readonly period: Period;
  readonly filter: Filter;
  readonly work: WorkFilter;
  /** One by one, not in groups. */
  readonly list: boolean;
  /** One is shown beside the list: at first the newest. */
  readonly wide: boolean;
}

/** Failures in groups or one by one, page by page, and which of them is selected, also by keys. */
export function useFailures({ period, filter, work, list, wide }: Given) {
  const address = useAddress();
  // In the list, groups are counted only for the title, which the re-parse dialog covers.
  const titled = !list || address.get('replay') === undefined;
  const grouped = useInfiniteQuery({ ...groupsQuery(period, filter, list ? {} : work), enabled: titled });
  const single = useInfiniteQuery({ ...turnsQuery(period, filter, false), enabled: list });
  const shown = list ? single : grouped;
  const rows = single.data?.pages.flatMap((page) => page.items) ?? [];
  const groups = grouped.data?.pages.flatMap((page) => page.items) ?? [];
  const newest = list ? rows[0]?.id : groups[0]?.newestTurn;
  const view = JSON.stringify([list, period, filter, work]);
  const first = useStableFirst(shown.isPlaceholderData ? undefined : newest, view);
  const selected = address.get('turn') ?? (wide ? first : undefined);
  const { ref, items } = useHeldOrder(useStableGroups(groups, selected), shown.isPlaceholderData ? undefined : view);
  useFailureShortcuts(list ? rows.map(({ id }) => id) : items.map(({ newestTurn }) => newestTurn), selected);
  return {
    rows,
    groups: items,
    /** Belongs to the element around the list. */
    ref,
    sums: grouped.data?.pages[0],
    selected,
    /** What is shown was loaded, and is nothing. */
    none: shown.data !== undefined && (list ? rows : items).length === 0 && !shown.hasNextPage,
    shown,
    single,
    more: shown.hasNextPage && !(list && stoppedEarly(single)) ? { onEnd: () => void shown.fetchNextPage() } : {},
  };
}
