import { TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useNavigate } from 'react-router';
import { useAddress } from '../../lib/address.ts';
import { searchOf } from '../../lib/search.ts';
import { hasRole, useMe } from '../../lib/session.ts';

const nothing = { text: null, argument: null, requestId: null } as const;

/** Finds requests by ID and, for editors, by message content. Searches when Enter is pressed. */
export function SearchField() {
  const address = useAddress();
  const navigate = useNavigate();
  const reads = hasRole(useMe(), 'editor');
  const argument = address.get('argument');
  const current = address.get('text') ?? address.get('requestId') ?? (argument ? `argument:${argument}` : '');
  const find = (typed: string) => {
    const search = searchOf(typed, reads);
    if (search && 'turn' in search) void navigate(`/failures/${encodeURIComponent(search.turn)}`);
    else address.set({ ...nothing, ...search, turn: null }, true);
  };
  return (
    <search>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          find(String(new FormData(event.currentTarget).get('search') ?? ''));
        }}
      >
        <TextInput
          // Drawn anew where the address says something else.
          key={current}
          name="search"
          type="search"
          size="xs"
          w={{ base: '100%', xs: 260 }}
          maxLength={200}
          defaultValue={current}
          leftSection={<IconSearch size={14} aria-hidden="true" />}
          aria-label="Search requests"
          placeholder={reads ? 'Words, "a phrase" or an ID' : 'Request ID'}
          title={
            reads
              ? 'Searches words of the user, the response and its calls. Use argument:edits.path for an argument. You can also paste a request ID. Press Enter to search.'
              : 'Paste a request ID and press Enter.'
          }
        />
      </form>
    </search>
  );
}
