import type { Team } from '@callsmith/contracts';
import { useQueryClient } from '@tanstack/react-query';
import { useAddress } from '../../lib/address.ts';
import { client } from '../../lib/api.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { TeamForm } from './team-form.tsx';

/** The dialog of a team that the address asks for: its form, or whether it is to be deleted. */
export function TeamDialogs({ teams }: { teams: readonly Team[] }) {
  const address = useAddress();
  const queryClient = useQueryClient();
  const teamOf = (name: string) => teams.find(({ id }) => id === address.get(name));
  const [editedTeam, removedTeam] = [teamOf('editTeam'), teamOf('removeTeam')];
  return (
    <>
      {editedTeam && <TeamForm key={editedTeam.id} team={editedTeam} onClose={() => address.set({ editTeam: null })} />}
      {removedTeam && (
        <Confirm
          title={`Delete ${removedTeam.name}?`}
          action="Delete"
          danger
          onConfirm={async () => {
            await client.teams.remove({ params: { id: removedTeam.id } });
            await queryClient.invalidateQueries({ queryKey: ['teams'] });
          }}
          onClose={() => address.set({ removeTeam: null })}
        >
          Only a team without users and active keys can be deleted. Its recorded requests stay, without the names of the
          team and of its revoked keys. An alert that is limited to this team alone is disabled.
        </Confirm>
      )}
    </>
  );
}
