import { type FacetName, facetLabels, filterNames } from '@callsmith/contracts';
import { Autocomplete, Button, Group, Select, Text } from '@mantine/core';
import { useDebouncedCallback, useMediaQuery } from '@mantine/hooks';
import { IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useAddress } from '../../lib/address.ts';
import { formatCount } from '../../lib/format.ts';
import type { Period } from '../../lib/period.ts';
import { filterOf } from './filter.ts';
import { FiltersButton, useFiltersOpen } from './filters-button.tsx';
import { type Facets, facetsQuery } from './queries.ts';

const selects: readonly { name: FacetName; width: number }[] = [
  { name: 'model', width: 170 },
  { name: 'class', width: 160 },
  { name: 'outcome', width: 120 },
  { name: 'strategy', width: 125 },
  { name: 'client', width: 120 },
  { name: 'status', width: 120 },
  { name: 'code', width: 160 },
  { name: 'rule', width: 140 },
];

/** Narrows the failures by values that they have; on a narrow screen behind a button. Every filter is in the URL. */
export function FilterBar({ period }: { period: Period }) {
  const wide = useMediaQuery('(min-width: 48em)', true, { getInitialValueInEffect: false });
  const open = useFiltersOpen();
  return (
    <Group gap="xs">
      {!wide && <FiltersButton />}
      {(wide || open) && <CountedFilters period={period} />}
      <ActiveFilters
        names={['shape', 'group', 'key', 'team', 'engine', 'requestId', 'conversation', 'text', 'argument']}
      />
      <ClearAll />
    </Group>
  );
}

/** A field for each filter, with how many failures have which value: counted only where they are shown. */
function CountedFilters({ period }: { period: Period }) {
  const address = useAddress();
  const counts = useQuery(facetsQuery(period, filterOf(address.params), false));
  return (
    <>
      {selects.map(({ name, width }) => (
        <FacetSelect key={name} name={name} values={valuesOf(counts.data, name)} width={width} />
      ))}
      <ToolFilter tools={valuesOf(counts.data, 'tool').map(({ value }) => value)} />
    </>
  );
}

type Value = Facets['facets'][number]['values'][number];

const valuesOf = (counts: Facets | undefined, name: FacetName): readonly Value[] =>
  counts?.facets.find((facet) => facet.name === name)?.values.filter(({ value }) => value !== '') ?? [];

function FacetSelect({ name, values, width }: { name: FacetName; values: readonly Value[]; width: number }) {
  const address = useAddress();
  const selected = address.get(name) ?? null;
  const counts = new Map(values.map(({ value, count }) => [value, count]));
  const data = values.map(({ value, label }) => ({ value, label }));
  const label = facetLabels[name];
  return (
    <Select
      size="xs"
      w={besideAnother(width)}
      placeholder={label}
      aria-label={label}
      data={selected === null || counts.has(selected) ? data : [...data, { value: selected, label: selected }]}
      value={selected}
      onChange={(value) => address.set({ [name]: value, turn: null })}
      clearable
      searchable={data.length > 8}
      comboboxProps={{ width: 'max-content', position: 'bottom-start' }}
      nothingFoundMessage="No values"
      renderOption={({ option }) => (
        <Group justify="space-between" wrap="nowrap" gap="lg" w="100%">
          <span>{option.label}</span>
          <Text span c="dimmed" inherit>
            {formatCount(counts.get(option.value) ?? 0)}
          </Text>
        </Group>
      )}
    />
  );
}

// Two in a row where there is little room.
const besideAnother = (width: number) => ({ base: 'calc(50% - 5px)', xs: width });

const labels = {
  shape: 'failure pattern',
  group: 'failure group',
  key: 'key',
  team: 'team',
  engine: 'engine version',
  requestId: 'request ID',
  conversation: 'conversation',
  text: 'text',
  argument: 'argument',
} as const;

/** The filters by values that cannot be picked here; a click clears one. */
export function ActiveFilters({ names }: { names: readonly (keyof typeof labels)[] }) {
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

/** Narrows the requests to those with a call of a tool, which need not be among `tools`. */
export function ToolFilter({ tools = [] }: { tools?: readonly string[] }) {
  const address = useAddress();
  const value = address.get('tool') ?? '';
  const set = (word: string) => address.set({ tool: word.trim() || null, turn: null });
  const later = useDebouncedCallback(set, 400);
  return (
    <Autocomplete
      key={value}
      size="xs"
      w={besideAnother(130)}
      placeholder="Tool"
      aria-label="Tool"
      data={[...tools]}
      defaultValue={value}
      onChange={later}
      onOptionSubmit={set}
      comboboxProps={{ width: 'max-content', position: 'bottom-start' }}
    />
  );
}
