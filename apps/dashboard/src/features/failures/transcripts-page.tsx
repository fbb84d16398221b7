import { filterNames } from '@callsmith/contracts';
import { Button, Group } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useAddress } from '../../lib/address.ts';
import { type Period, periodOf, periodText } from '../../lib/period.ts';
import { Page } from '../../ui/page.tsx';
import { RangePicker } from '../../ui/range-picker.tsx';
import { Empty, LoadingRows, Problem } from '../../ui/states.tsx';
import { Facets } from './facets.tsx';
import { FailureList } from './failure-list.tsx';
import { filterOf } from './filter.ts';
import { ActiveFilters, ClearAll, ToolFilter } from './filter-bar.tsx';
import { FiltersButton, useFiltersOpen } from './filters-button.tsx';
import { ListActions, ListDialogs } from './list-actions.tsx';
import css from './page.module.css';
import { facetsQuery, stoppedEarly, turnsQuery } from './queries.ts';
import { SearchField } from './search-field.tsx';
import { SearchFurther } from './search-further.tsx';
import { SelectedRequest } from './selected-request.tsx';
import { useFailureShortcuts } from './use-failure-shortcuts.ts';
import { ViewsMenu } from './views/views-menu.tsx';

/** All requests of a time range, newest first, filtered by facets with counts; a selected one takes the facets' place. */
export function TranscriptsPage() {
  const address = useAddress();
  const wide = useMediaQuery('(min-width: 75em)', true, { getInitialValueInEffect: false });
  const period = periodOf(address.params);
  const filter = filterOf(address.params);
  const live = 'range' in period && address.get('live') === 'yes';
  const turns = useInfiniteQuery(turnsQuery(period, filter, true, live));
  const rows = turns.data?.pages.flatMap((page) => page.items) ?? [];
  const selected = address.get('turn');
  useFailureShortcuts(
    rows.map(({ id }) => id),
    selected,
  );
  const beside = wide && !selected;
  const open = useFiltersOpen();
  const activeFilters = filterNames.filter((name) => address.get(name));
  const listed = { period, filter, all: true };
  return (
    <Page
      title="Transcripts"
      subtitle={`All requests in ${periodText(period)}, newest first${live ? '; new ones appear as they end' : ''}`}
      actions={
        <>
          <RangePicker period={period} />
          {'range' in period && <LiveButton live={live} />}
          <ViewsMenu screen="transcripts" />
          <ListActions {...listed} files some={rows.length > 0} />
        </>
      }
    >
      <Group gap="xs">
        {!beside && <FiltersButton />}
        <SearchField />
        <ToolFilter />
        <ActiveFilters names={['shape', 'group', 'requestId', 'conversation', 'text', 'argument']} />
        <ClearAll />
      </Group>
      {!beside && open && <CountedFacets period={period} beside={false} />}
      <div className={beside ? css.browse : selected && wide ? css.split : undefined}>
        {beside && <CountedFacets period={period} beside />}
        <div>
          {turns.isError && !turns.data && <Problem error={turns.error} onRetry={() => void turns.refetch()} />}
          {turns.isPending && <LoadingRows rows={10} />}
          {turns.data && rows.length === 0 && !turns.hasNextPage && (
            <Nothing
              period={period}
              filtered={activeFilters.length > 0}
              searched={filter.text !== undefined || filter.argument !== undefined}
            />
          )}
          {rows.length > 0 && (
            <FailureList
              title="Requests"
              rows={rows}
              selected={selected}
              wide={wide}
              {...(turns.hasNextPage && !stoppedEarly(turns) ? { onEnd: () => void turns.fetchNextPage() } : {})}
            />
          )}
          <SearchFurther key={JSON.stringify([period, filter])} requests={turns} />
        </div>
        {wide && selected && (
          <SelectedRequest
            label="Selected request"
            id={selected}
            onClose={() => address.set({ turn: null, chunk: null })}
          />
        )}
      </div>
      <ListDialogs {...listed} files />
    </Page>
  );
}

/** The facets, counted only where they are shown. */
function CountedFacets({ period, beside }: { period: Period; beside: boolean }) {
  const counts = useQuery(facetsQuery(period, filterOf(useAddress().params), true));
  if (counts.data) return <Facets counts={counts.data} beside={beside} />;
  if (counts.isLoadingError) return <Problem error={counts.error} onRetry={() => void counts.refetch()} />;
  return <LoadingRows rows={10} />;
}

/** Starts and pauses the list's following what comes in. */
function LiveButton({ live }: { live: boolean }) {
  const address = useAddress();
  const Icon = live ? IconPlayerPause : IconPlayerPlay;
  return (
    <Button
      size="xs"
      variant={live ? 'light' : 'default'}
      leftSection={<Icon size={14} aria-hidden="true" />}
      onClick={() => address.set({ live: live ? null : 'yes' })}
    >
      {live ? 'Pause' : 'Live'}
    </Button>
  );
}

const Nothing = ({ period, filtered, searched }: { period: Period; filtered: boolean; searched: boolean }) => (
  <Empty title={`No ${filtered ? 'matching requests' : 'requests'} in ${periodText(period)}`}>
    {filtered
      ? `No results match these filters. Clear them or choose a longer time range.${searched ? ' Only requests whose message content is kept are searched.' : ''}`
      : 'Every request to the client API appears here.'}
  </Empty>
);
