import { Button } from '@mantine/core';
import { useAddress } from '../../lib/address.ts';
import { Empty } from '../../ui/states.tsx';

/** Instead of a list without keys: because none was found, or because there are none yet. */
export function NoKeys({ searched, mayCreate }: { searched: boolean; mayCreate: boolean }) {
  const address = useAddress();
  if (searched)
    return (
      <Empty title="No key found" action={<Button onClick={() => address.set({ q: null })}>Clear the search</Button>}>
        No owner, key, team or last client contains every word of the search.
      </Empty>
    );
  return (
    <Empty
      title="No keys yet"
      action={mayCreate && <Button onClick={() => address.set({ issue: 'one' })}>Create the first key</Button>}
    >
      Clients authenticate with API keys. The owner of a key does not need an account here.
    </Empty>
  );
}
