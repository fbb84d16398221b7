import { Button } from '@mantine/core';
import { useAddress } from '../../lib/address.ts';

/** Opens the dialog of a team or a user. */
export function EditButton({ name, id, of }: { name: 'editTeam' | 'user'; id: string; of: string }) {
  const address = useAddress();
  return (
    <Button size="compact-xs" variant="default" onClick={() => address.set({ [name]: id })} aria-label={`Edit ${of}`}>
      Edit…
    </Button>
  );
}
