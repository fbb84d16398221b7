import type { PlaygroundColumn } from '@callsmith/contracts';
import { strategyNames } from '@callsmith/turn';
import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { dialectsQuery } from '../../lib/dialects.ts';

/** The dialect that the model has. */
const own = ' ';

/** A model as far as a column needs it. */
export interface ColumnModel {
  readonly id: string;
  readonly name: string;
}

/** What a column goes through: a model, a strategy and a dialect. `name`: makes the labels of its fields unique. */
export function ColumnFields({
  value,
  models,
  name,
  onChange,
}: {
  value: PlaygroundColumn;
  models: readonly ColumnModel[];
  name?: string;
  onChange: (column: PlaygroundColumn) => void;
}) {
  const [choosing, setChoosing] = useState(false);
  const dialects = useQuery({ ...dialectsQuery, enabled: choosing });
  const dialectNames = new Set(['auto', ...(dialects.data?.items.map((one) => one.name) ?? [])]);
  if (value.dialect) dialectNames.add(value.dialect);
  const of = (field: string) => (name ? `${field}, ${name}` : field);
  return (
    <>
      <Select
        size="xs"
        label="Model"
        aria-label={of('Model')}
        data={models.map((model) => ({ value: model.id, label: model.name }))}
        value={value.model}
        onChange={(model) => model && onChange({ ...value, model })}
        allowDeselect={false}
        searchable
        maxDropdownHeight={320}
      />
      <Select
        size="xs"
        label="Strategy"
        aria-label={of('Strategy')}
        data={[...strategyNames]}
        value={value.strategy}
        onChange={(strategy) => strategy && onChange({ ...value, strategy: strategy as PlaygroundColumn['strategy'] })}
        allowDeselect={false}
      />
      <Select
        size="xs"
        label="Dialect"
        aria-label={of('Dialect')}
        data={[{ value: own, label: 'as the model is set' }, ...dialectNames]}
        value={value.dialect ?? own}
        onChange={(dialect) => {
          const { dialect: _, ...rest } = value;
          onChange(dialect === null || dialect === own ? rest : { ...rest, dialect });
        }}
        onDropdownOpen={() => setChoosing(true)}
        allowDeselect={false}
        searchable
        maxDropdownHeight={320}
      />
    </>
  );
}
