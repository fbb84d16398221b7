import type { Key, Team } from '@callsmith/contracts';
import { Anchor, Button, Grid, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Link, useParams } from 'react-router';
import { linkTo, useAddress } from '../../lib/address.ts';
import { plural } from '../../lib/format.ts';
import { useNow } from '../../lib/now.ts';
import { remember } from '../../lib/recent.ts';
import { hasRole, useMe } from '../../lib/session.ts';
import { BackTo } from '../../ui/back-to.tsx';
import { Card } from '../../ui/card.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Page } from '../../ui/page.tsx';
import { RangePicker } from '../../ui/range-picker.tsx';
import { Empty, LoadingRows, Problem } from '../../ui/states.tsx';
import type { Column } from '../../ui/table-column.ts';
import { RelativeTime, Timestamp } from '../../ui/timestamp.tsx';
import { KeyState } from '../keys/key-state.tsx';
import { keysQuery } from '../keys/queries.ts';
import { rotationOf } from '../keys/rotation.ts';
import { RotationText } from '../keys/rotation-text.tsx';
import { OutcomesPanel } from '../overview/outcomes-panel.tsx';
import { ActiveFilters } from '../usage/active-filters.tsx';
import { BudgetFact } from '../usage/budget-fact.tsx';
import { usageQuery } from '../usage/queries.ts';
import { usageFilterIn } from '../usage/usage-filter.ts';
import { UsagePanels } from '../usage/usage-panels.tsx';
import { Members } from './members.tsx';
import { teamsQuery } from './queries.ts';
import { TeamDialogs } from './team-dialogs.tsx';

/** One team: its keys and when they are to be rotated, its users, how its calls came out, and what it used. */
export function TeamPage() {
  const { id = '' } = useParams();
  const me = useMe();
  const address = useAddress();
  const teams = useQuery(teamsQuery);
  const team = teams.data?.items.find((one) => one.id === id);
  const asked = { ...usageFilterIn(address.params), teamId: id };
  const usage = useQuery({ ...usageQuery(asked), enabled: team !== undefined });
  const name = team?.name;
  useEffect(() => {
    if (name) remember({ to: `/teams/${encodeURIComponent(id)}`, label: `Team ${name}` });
  }, [id, name]);
  const before = hasRole(me, 'admin') && <BackTo to="/teams" name="Teams & users" />;
  if (!team)
    return (
      <Page title="Team" before={before}>
        {teams.isPending && <LoadingRows rows={10} />}
        {teams.isError && <Problem error={teams.error} onRetry={() => void teams.refetch()} />}
        {teams.data && <Empty title="There is no such team">It may have been deleted, or it is not yours.</Empty>}
      </Page>
    );
  return (
    <Page
      title={team.name}
      before={before}
      actions={
        <>
          <ActiveFilters asked={asked} data={usage.data} />
          <Anchor component={Link} to={linkTo('/failures', { team: id })} fz="sm">
            Failures
          </Anchor>
          <RangePicker period={asked.period} />
          {hasRole(me, 'admin') && team.managedBy === null && (
            <Button size="xs" variant="default" onClick={() => address.set({ editTeam: id })}>
              Edit…
            </Button>
          )}
        </>
      }
    >
      <Grid gap="md">
        <Grid.Col span={{ base: 12, lg: 5 }}>
          <Stack gap="md">
            <Card title="This team">
              <Facts
                facts={[
                  ['Keys', String(team.keys)],
                  ['Budget left', <BudgetFact key="budget" of={{ by: 'team', teamId: id }} />],
                  ['Stores bodies', team.storesBodies ? 'yes' : 'no'],
                  ['Created', <Timestamp key="created" at={team.createdAt} />],
                ]}
              />
            </Card>
            <Keys of={team} />
            {hasRole(me, 'admin') && <Members of={team} />}
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 7 }}>
          <Stack gap="md">
            <OutcomesPanel key={id} asked={{ period: asked.period, teamId: id }} />
            <UsagePanels asked={asked} fixed={['team']} />
          </Stack>
        </Grid.Col>
      </Grid>
      <TeamDialogs teams={[team]} />
    </Page>
  );
}

function Keys({ of: team }: { of: Team }) {
  const keys = useInfiniteQuery(keysQuery({ teamId: team.id, revoked: false }));
  const now = useNow(60_000);
  const all = keys.data?.pages.flatMap((page) => page.items);
  const due = all?.filter((key) => rotationOf(key, now)?.state === 'due').length ?? 0;
  return (
    <Card
      title="Keys"
      subtitle={due > 0 && `${plural(due, 'key')} due for rotation${keys.hasNextPage ? ' so far' : ''}`}
      flush
      aside={
        <Anchor component={Link} to={linkTo('/keys', { team: team.id })} fz="xs">
          All of them
        </Anchor>
      }
    >
      {keys.isError && !all && <Problem error={keys.error} onRetry={() => void keys.refetch()} />}
      {keys.isPending && <LoadingRows rows={3} />}
      {all?.length === 0 && (
        <Text c="dimmed" p="md">
          No keys yet
        </Text>
      )}
      {all && all.length > 0 && (
        <DataTable
          label={`Keys of ${team.name}`}
          rows={all}
          rowKey={(key) => key.id}
          columns={keyColumns}
          sortName="keys"
          {...(all.length > 20 ? { maxHeight: '480px', rowHeight: 40 } : {})}
          {...(keys.hasNextPage ? { onEnd: () => void keys.fetchNextPage() } : {})}
        />
      )}
    </Card>
  );
}

const keyColumns: Column<Key>[] = [
  {
    key: 'holder',
    title: 'Owner',
    cell: (key) => (
      <Anchor component={Link} to={`/keys/${key.id}`} inherit>
        {key.holder}
      </Anchor>
    ),
    sort: (key) => key.holder,
  },
  { key: 'state', title: 'State', hideBelow: 'Sm', cell: (key) => <KeyState of={key} /> },
  {
    key: 'rotation',
    title: 'Rotation',
    cell: (key) => <RotationText of={key} />,
    sort: (key) => rotationOf(key, Date.now())?.at ?? null,
  },
  {
    key: 'used',
    title: 'Last used',
    right: true,
    cell: (key) => (key.lastUsedAt ? <RelativeTime at={key.lastUsedAt} /> : 'never'),
    sort: (key) => key.lastUsedAt,
  },
];
