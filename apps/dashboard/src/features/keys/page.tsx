import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { plural } from '../../lib/format.ts';
import { hasRole, useMe } from '../../lib/session.ts';
import { Card } from '../../ui/card.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { Page } from '../../ui/page.tsx';
import { LoadingRows, Problem } from '../../ui/states.tsx';
import { BulkBar } from './bulk-bar.tsx';
import { columns } from './columns.tsx';
import { Dialogs } from './dialogs.tsx';
import { KeyFilters, useKeyFilter } from './key-filters.tsx';
import { NewKeyButtons } from './new-key-buttons.tsx';
import { NoKeys } from './no-keys.tsx';
import { keysQuery, usageQuery } from './queries.ts';
import { useKeySelection } from './use-key-selection.ts';

/** Keys: who has one, what it may do, when it was last used. */
export function KeysPage() {
  const mayCreate = hasRole(useMe(), 'editor');
  const filter = useKeyFilter();
  const keys = useInfiniteQuery({ ...keysQuery(filter), placeholderData: keepPreviousData });
  const usage = useQuery(usageQuery);
  const found = keys.data?.pages.flatMap((page) => page.items);
  const { selection, chosen, choose } = useKeySelection(found ?? []);
  return (
    <Page
      title="Keys"
      subtitle={found && `${plural(found.length, 'key')}${keys.hasNextPage ? ' so far' : ''}`}
      actions={mayCreate && <NewKeyButtons />}
    >
      <KeyFilters />
      {keys.isError && !found && <Problem error={keys.error} onRetry={() => void keys.refetch()} />}
      {keys.isPending && <LoadingRows rows={8} />}
      {found?.length === 0 && <NoKeys searched={filter.q !== ''} mayCreate={mayCreate} />}
      {chosen.length > 0 && <BulkBar chosen={chosen} shown={found ?? []} choose={choose} />}
      {found && found.length > 0 && (
        <Card title="Keys" untitled flush>
          <DataTable
            label="Keys"
            rows={found}
            rowKey={(key) => key.id}
            columns={columns(mayCreate, usage.data, selection)}
            rowHeight={52}
            {...(keys.hasNextPage ? { onEnd: () => void keys.fetchNextPage() } : {})}
          />
        </Card>
      )}
      <Dialogs keys={found ?? []} />
    </Page>
  );
}
