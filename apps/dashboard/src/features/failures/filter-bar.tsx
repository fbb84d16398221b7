import { findingClass } from '@callsmith/contracts';
import { strategiesUsed } from '@callsmith/turn';
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
        w={besideAnother(width)}
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
  return (
    <Group gap="xs">
      {select('model', 'Model', models, 170)}
      {select('class', 'Class', findingClass.options, 160)}
      {select('outcome', 'Outcome', ['repaired', 'failed', 'error'], 120)}
      {select('strategy', 'Strategy', strategiesUsed, 115)}
      {select('client', 'Client', clients, 130)}
      <ToolFilter />
      <Chosen names={['shape', 'key', 'team']} />
      <ClearAll />
    </Group>
  );
}

// Two in a row where there is little room.
const besideAnother = (width: number) => ({ base: 'calc(50% - 5px)', xs: width });

const labels = { shape: 'failure pattern', key: 'key', team: 'team' } as const;

/** The filters by values that cannot be picked here; a click clears one. */
export function Chosen({ names }: { names: readonly ('shape' | 'key' | 'team')[] }) {
  const address = useAddress();
  return names
    .filter((name) => address.get(name))
    .map((name) => (
      <Button
        key={name}
        size="xs"
        variant="light"
        rightSection={<IconX size={13} />}
        onClick={() => address.set({ [name]: null, turn: null })}
        aria-label={`Clear ${labels[name]} filter`}
      >
        By {labels[name]}
      </Button>
    ));
}

/** Takes every filter out of the address. */
export function ClearAll() {
  const address = useAddress();
  if (!filterNames.some((name) => address.get(name))) return null;
  return (
    <Button
      size="xs"
      variant="subtle"
      color="gray"
      onClick={() => address.set({ ...Object.fromEntries(filterNames.map((name) => [name, null])), turn: null })}
    >
      Clear all
    </Button>
  );
}

/** Narrows the turns to those with a call of a tool. */
export function ToolFilter() {
  const address = useAddress();
  const value = address.get('tool') ?? '';
  const later = useDebouncedCallback((word: string) => address.set({ tool: word.trim() || null, turn: null }), 400);
  return (
    <TextInput
      key={value}
      size="xs"
      w={besideAnother(130)}
      placeholder="Tool"
      aria-label="Tool"
      defaultValue={value}
      onChange={(event) => later(event.currentTarget.value)}
    />
  );
}
