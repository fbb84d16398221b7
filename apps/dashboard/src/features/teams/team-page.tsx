import { Anchor, Button, Grid, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Link, useParams } from 'react-router';
import { linkTo, useAddress } from '../../lib/address.ts';
import { remember } from '../../lib/recent.ts';
import { hasRole, useMe } from '../../lib/session.ts';
import { BackTo } from '../../ui/back-to.tsx';
import { Card } from '../../ui/card.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Later } from '../../ui/later.tsx';
import { Page } from '../../ui/page.tsx';
import { RangePicker } from '../../ui/range-picker.tsx';
import { Empty, LoadingRows, Problem } from '../../ui/states.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { OutcomesPanel } from '../overview/outcomes-panel.tsx';
import { ActiveFilters } from '../usage/active-filters.tsx';
import { BudgetFact } from '../usage/budget-fact.tsx';
import { usageGroups, usageQuery } from '../usage/queries.ts';
import { usageFilterIn } from '../usage/usage-filter.ts';
import { UsageLoading, UsagePanels } from '../usage/usage-panels.tsx';
import { Members } from './members.tsx';
import { teamsQuery } from './queries.ts';
import { TeamDialogs } from './team-dialogs.tsx';
import { TeamKeys } from './team-keys.tsx';

/** One team: its keys and when they are to be rotated, its users, how its calls came out, and what it used. */
export function TeamPage() {
  const { id = '' } = useParams();
  const me = useMe();
  const address = useAddress();
  const teams = useQuery(teamsQuery);
  const team = teams.data?.items.find((one) => one.id === id);
  const filter = { ...usageFilterIn(address.params), teamId: id };
  // The filters' names; without filters only the panels further down ask for usage.
  const filtered = usageGroups.some((group) => address.get(group));
  const usage = useQuery({ ...usageQuery(filter), enabled: team !== undefined && filtered });
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
          <ActiveFilters filter={filter} data={usage.data} />
          <Anchor component={Link} to={linkTo('/failures', { team: id })} fz="sm">
            Failures
          </Anchor>
          <RangePicker period={filter.period} />
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
            <TeamKeys of={team} />
            {hasRole(me, 'admin') && (
              <Later>
                <Members of={team} />
              </Later>
            )}
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 7 }}>
          <Stack gap="md">
            <OutcomesPanel key={id} filter={{ period: filter.period, teamId: id }} />
            <Later meanwhile={<UsageLoading />}>
              <UsagePanels filter={filter} fixed={['team']} />
            </Later>
          </Stack>
        </Grid.Col>
      </Grid>
      <TeamDialogs teams={[team]} />
    </Page>
  );
}
