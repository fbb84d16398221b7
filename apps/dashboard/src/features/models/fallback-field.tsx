import type { ModelFallback } from '@callsmith/contracts';
import { Button, CloseButton, Group, Input, Select } from '@mantine/core';
import { randomId } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { modelsQuery } from './queries.ts';

/** A fallback as it is in a form. */
export interface FallbackValues {
  /** Which row it is: two rows may hold the same, and rows go from between others. */
  readonly row: string;
  readonly model: string;
  readonly on: ModelFallback['on'];
}

const rowOf = (fallback: ModelFallback): FallbackValues => ({ ...fallback, row: randomId() });

const reasons = {
  context: 'if the prompt is too long',
  outage: 'if no upstream answers',
} as const satisfies Record<ModelFallback['on'], string>;

interface Props {
  readonly label: string;
  readonly description: string;
  readonly values: readonly FallbackValues[];
  readonly error: ReactNode;
  readonly onChange: (values: readonly FallbackValues[]) => void;
}

/** Which models answer in a model's place, and when. */
export function FallbackField({ label, description, values, error, onChange }: Props) {
  const models = useQuery({ ...modelsQuery, enabled: values.length > 0 });
  const names = models.data?.items.map(({ name }) => name) ?? [];
  const set = (row: string, changed: Partial<ModelFallback>) =>
    onChange(values.map((value) => (value.row === row ? { ...value, ...changed } : value)));
  return (
    <Input.Wrapper label={label} description={description} error={error} labelElement="div">
      {values.map(({ row, model, on }, at) => (
        <Group key={row} gap="xs" mt={6} wrap="nowrap">
          <Select
            aria-label={`Fallback ${at + 1}`}
            placeholder="Model"
            data={[...new Set([...names, ...(model === '' ? [] : [model])])]}
            value={model === '' ? null : model}
            onChange={(name) => set(row, { model: name ?? '' })}
            searchable
            flex={1}
          />
          <Select
            aria-label={`When fallback ${at + 1} answers`}
            data={Object.entries(reasons).map(([value, reason]) => ({ value, label: reason }))}
            value={on}
            onChange={(reason) => set(row, { on: reason as FallbackValues['on'] })}
            allowDeselect={false}
            flex={1}
          />
          <CloseButton
            aria-label={`Remove fallback ${at + 1}`}
            onClick={() => onChange(values.filter((value) => value.row !== row))}
          />
        </Group>
      ))}
      <Button
        size="xs"
        variant="subtle"
        mt={6}
        onClick={() => onChange([...values, rowOf({ model: '', on: 'outage' })])}
        disabled={values.length >= 10}
      >
        Add fallback
      </Button>
    </Input.Wrapper>
  );
}

/** What the fields hold at first. */
export const fallbackValues = (fallback: readonly ModelFallback[] | null): FallbackValues[] =>
  (fallback ?? []).map(rowOf);

/** What the API is sent; null: none. Rows without a model are left out. */
export function fallbackBody(values: readonly FallbackValues[]): ModelFallback[] | null {
  const filled = values.filter(({ model }) => model !== '');
  return filled.length === 0 ? null : filled.map(({ model, on }) => ({ model, on }));
}

/** Fallbacks in words. */
export const fallbackText = (fallback: readonly ModelFallback[]): string =>
  fallback.map(({ model, on }) => `${model} ${reasons[on]}`).join(', ');
