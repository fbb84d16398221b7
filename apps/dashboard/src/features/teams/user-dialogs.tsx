import type { Team } from '@callsmith/contracts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useAddress } from '../../lib/address.ts';
import { client } from '../../lib/api.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { Invite } from './invite.tsx';
import { usersQuery } from './queries.ts';
import { UserForm } from './user-form.tsx';

/** The dialog of users that the address asks for: an invitation, a user's form, or whether one is to be deleted. */
export function UserDialogs({ teams }: { teams: readonly Team[] }) {
  const address = useAddress();
  const queryClient = useQueryClient();
  const users = useQuery(usersQuery);
  const userOf = (name: string) => users.data?.items.find(({ id }) => id === address.get(name));
  const [edited, removed] = [userOf('user'), userOf('removeUser')];
  return (
    <>
      {address.get('add') === 'user' && <Invite teams={teams} onClose={() => address.set({ add: null })} />}
      {removed && (
        <Confirm
          title={`Delete ${removed.email}?`}
          action="Delete"
          danger
          onConfirm={async () => {
            await client.users.remove({ params: { id: removed.id } });
            await queryClient.invalidateQueries({ queryKey: ['users'] });
          }}
          onClose={() => address.set({ removeUser: null })}
        >
          Their sessions end, and their own saved views are deleted. Failures that were assigned to them become
          unassigned; their notes, the keys that they issued and their entries in Audit stay. To lock out someone who
          uses single sign-on, disable the user instead.
        </Confirm>
      )}
      {edited && <UserForm key={edited.id} user={edited} teams={teams} onClose={() => address.set({ user: null })} />}
    </>
  );
}
