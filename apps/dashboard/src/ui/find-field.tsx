import { TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useAddress } from '../lib/address.ts';

/** The most characters of a search, as the API takes them. */
export const longestSearch = 200;

/** A field whose words narrow the list below it while they are typed; the address keeps them as `q`. */
export function FindField({ label, placeholder }: { label: string; placeholder: string }) {
  const address = useAddress();
  return (
    <TextInput
      size="xs"
      w={{ base: '100%', xs: 240 }}
      placeholder={placeholder}
      aria-label={label}
      leftSection={<IconSearch size={14} />}
      maxLength={longestSearch}
      value={address.get('q') ?? ''}
      onChange={(event) => address.set({ q: event.currentTarget.value })}
    />
  );
}
