import { findingClass } from '@callsmith/contracts';
import { Button, Group, Select, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconX } from '@tabler/icons-react';
import { useAddress } from '../../lib/address.ts';
import { filterNames } from './filter.ts';

/** Narrows the failures; every filter stands in the address. */
export function FilterBar({ models, clients }: { models: readonly string[]; clients: readonly string[] }) {
  const address = useAddress();
  const set = (name: string) => (value: string | null) => address.set({ [name]: value, turn: null });
  const select = (name: string, label: string, data: readonly string[], width: number) => {
    const value = address.get(name) ?? null;
    return (
      <Select
        size="xs"
        w={width}
        placeholder={label}
        aria-label={label}
        data={[...new Set(value ? [...data, value] : data)]}
        value={value}
        onChange={set(name)}
        clearable
        searchable={data.length > 8}
      />
    );
  };
  const others = (['shape', 'key', 'team'] as const).filter((name) => address.get(name));
  return (
    <Group gap="xs">
      {select('model', 'Model', models, 170)}
      {select('class', 'Class', findingClass.options, 160)}
      {select('outcome', 'Outcome', ['repaired', 'failed'], 120)}
      {select('strategy', 'Strategy', ['native', 'prompt'], 115)}
      {select('client', 'Client', clients, 130)}
      <ToolFilter value={address.get('tool') ?? ''} onChange={set('tool')} />
      {others.map((name) => (
        <Button
          key={name}
          size="xs"
          variant="light"
          rightSection={<IconX size={13} />}
          onClick={() => set(name)(null)}
          aria-label={`Clear the filter by ${name}`}
        >
          one {name}
        </Button>
      ))}
      {filterNames.some((name) => address.get(name)) && (
        <Button
          size="xs"
          variant="subtle"
          color="gray"
          onClick={() => address.set({ ...Object.fromEntries(filterNames.map((name) => [name, null])), turn: null })}
        >
          Clear all
        </Button>
      )}
    </Group>
  );
}

function ToolFilter({ value, onChange }: { value: string; onChange: (value: string | null) => void }) {
  const later = useDebouncedCallback((word: string) => onChange(word.trim() || null), 400);
  return (
    <TextInput
      key={value}
      size="xs"
      w={130}
      placeholder="Tool"
      aria-label="Tool"
      defaultValue={value}
      onChange={(event) => later(event.currentTarget.value)}
    />
  );
}
