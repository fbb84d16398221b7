import { Button, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useAddress } from '../../lib/address.ts';
import { hasRole, useMe } from '../../lib/session.ts';
import { Page } from '../../ui/page.tsx';
import { NoPermission } from '../../ui/states.tsx';
import { NewTeam } from './new-team.tsx';
import { teamsQuery } from './queries.ts';
import { TeamDialogs } from './team-dialogs.tsx';
import { TeamList } from './team-list.tsx';
import { UserDialogs } from './user-dialogs.tsx';
import { UserList } from './user-list.tsx';

/** Teams, and who may sign in here. */
export function TeamsPage() {
  const me = useMe();
  if (hasRole(me, 'admin')) return <Teams />;
  return (
    <Page title="Teams & users">
      <NoPermission />
    </Page>
  );
}

function Teams() {
  const address = useAddress();
  const teams = useQuery(teamsQuery).data?.items ?? [];
  return (
    <Page
      title="Teams & users"
      subtitle="API keys belong to teams; key owners don't need an account."
      actions={
        <>
          <Button variant="default" onClick={() => address.set({ add: 'team' })}>
            Add team
          </Button>
          <Button onClick={() => address.set({ add: 'user' })}>Invite user</Button>
        </>
      }
    >
      <Stack gap="md">
        <TeamList />
        <UserList teams={teams} />
      </Stack>
      {address.get('add') === 'team' && <NewTeam onClose={() => address.set({ add: null })} />}
      <TeamDialogs teams={teams} />
      <UserDialogs teams={teams} />
    </Page>
  );
}
