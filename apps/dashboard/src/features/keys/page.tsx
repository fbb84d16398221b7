import { Button, Group, Select, Switch, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconPlus, IconSearch } from '@tabler/icons-react';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useAddress } from '../../lib/address.ts';
import { plural } from '../../lib/format.ts';
import { hasRole, useMe } from '../../lib/session.ts';
import { Card } from '../../ui/card.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, LoadingRows, Problem } from '../../ui/states.tsx';
import { BulkBar } from './bulk-bar.tsx';
import { columns, isChangeable } from './columns.tsx';
import { Dialogs } from './dialogs.tsx';
import { keysQuery, teamsQuery, usageQuery } from './queries.ts';

/** As the API takes it. */
const longestSearch = 200;

/** Keys: who has one, what it may do, when it was last used. */
export function KeysPage() {
  const me = useMe();
  const address = useAddress();
  const mayIssue = hasRole(me, 'editor');
  const revoked = address.get('revoked') === 'yes';
  const teamId = address.get('team');
  const typed = address.get('q') ?? '';
  const [q] = useDebouncedValue(typed.trim().slice(0, longestSearch), 200);
  const keys = useInfiniteQuery({ ...keysQuery({ teamId, revoked, q }), placeholderData: keepPreviousData });
  const teams = useQuery(teamsQuery);
  const usage = useQuery(usageQuery);
  const found = keys.data?.pages.flatMap((page) => page.items);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const toggle = (id: string) =>
    setChosen((now) => new Set(now.has(id) ? [...now].filter((one) => one !== id) : [...now, id]));
  // What is not listed any more, e.g. because it was revoked, is not changed either.
  const some = found?.filter((key) => chosen.has(key.id) && isChangeable(key)) ?? [];
  return (
    <Page
      title="Keys"
      subtitle={found && `${plural(found.length, 'key')}${keys.hasNextPage ? ' so far' : ''}`}
      actions={
        mayIssue && (
          <>
            <Button variant="default" onClick={() => address.set({ budgets: 'open' })}>
              Budgets
            </Button>
            <Button variant="default" onClick={() => address.set({ issue: 'import' })}>
              Import
            </Button>
            <Button variant="default" onClick={() => address.set({ issue: 'many' })}>
              Create several
            </Button>
            <Button leftSection={<IconPlus size={16} />} onClick={() => address.set({ issue: 'one' })}>
              Create key
            </Button>
          </>
        )
      }
    >
      <Group gap="sm">
        <TextInput
          size="xs"
          w={{ base: '100%', xs: 240 }}
          placeholder="Owner, key or client"
          aria-label="Find a key"
          leftSection={<IconSearch size={14} />}
          maxLength={longestSearch}
          value={typed}
          onChange={(event) => address.set({ q: event.currentTarget.value })}
        />
        <Select
          size="xs"
          w={170}
          placeholder="All teams"
          aria-label="Team"
          data={(teams.data?.items ?? []).map((team) => ({ value: team.id, label: team.name }))}
          value={teamId ?? null}
          onChange={(team) => address.set({ team })}
          clearable
        />
        <Switch
          size="xs"
          label="Show revoked"
          checked={revoked}
          onChange={(event) => address.set({ revoked: event.currentTarget.checked ? 'yes' : null })}
        />
      </Group>
      {keys.isError && !found && <Problem error={keys.error} onRetry={() => void keys.refetch()} />}
      {keys.isPending && <LoadingRows rows={8} />}
      {found?.length === 0 && q !== '' && (
        <Empty title="No key found" action={<Button onClick={() => address.set({ q: null })}>Clear the search</Button>}>
          No owner, key, team or last client contains every word of the search.
        </Empty>
      )}
      {found?.length === 0 && q === '' && (
        <Empty
          title="No keys yet"
          action={mayIssue && <Button onClick={() => address.set({ issue: 'one' })}>Create the first key</Button>}
        >
          Clients authenticate with API keys. The owner of a key does not need an account here.
        </Empty>
      )}
      {some.length > 0 && <BulkBar chosen={some} shown={found ?? []} choose={setChosen} />}
      {found && found.length > 0 && (
        <Card title="Keys" untitled flush>
          <DataTable
            label="Keys"
            rows={found}
            rowKey={(key) => key.id}
            columns={columns(mayIssue, usage.data, { ids: chosen, toggle })}
            rowHeight={52}
            {...(keys.hasNextPage ? { onEnd: () => void keys.fetchNextPage() } : {})}
          />
        </Card>
      )}
      <Dialogs keys={found ?? []} />
    </Page>
  );
}
