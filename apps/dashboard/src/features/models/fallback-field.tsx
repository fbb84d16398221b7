import type { ModelFallback } from '@callsmith/contracts';
import { Button, CloseButton, Group, Input, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { modelsQuery } from './queries.ts';

/** A fallback as it stands in a form. */
export interface FallbackValues {
  readonly model: string;
  readonly on: ModelFallback['on'];
}

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
  const set = (at: number, changed: Partial<FallbackValues>) =>
    onChange(values.map((value, n) => (n === at ? { ...value, ...changed } : value)));
  return (
    <Input.Wrapper label={label} description={description} error={error} labelElement="div">
      {values.map(({ model, on }, at) => (
        <Group key={at} gap="xs" mt={6} wrap="nowrap">
          <Select
            aria-label={`Fallback ${at + 1}`}
            placeholder="Model"
            data={[...new Set([...names, ...(model === '' ? [] : [model])])]}
            value={model === '' ? null : model}
            onChange={(name) => set(at, { model: name ?? '' })}
            searchable
            flex={1}
          />
          <Select
            aria-label={`When fallback ${at + 1} answers`}
            data={Object.entries(reasons).map(([value, reason]) => ({ value, label: reason }))}
            value={on}
            onChange={(reason) => set(at, { on: reason as FallbackValues['on'] })}
            allowDeselect={false}
            flex={1}
          />
          <CloseButton
            aria-label={`Remove fallback ${at + 1}`}
            onClick={() => onChange(values.filter((_, n) => n !== at))}
          />
        </Group>
      ))}
      <Button
        size="xs"
        variant="subtle"
        mt={6}
        onClick={() => onChange([...values, { model: '', on: 'outage' }])}
        disabled={values.length >= 10}
      >
        Add fallback
      </Button>
    </Input.Wrapper>
  );
}

/** What the API is sent; null: none. Rows without a model are left out. */
export function fallbackBody(values: readonly FallbackValues[]): ModelFallback[] | null {
  const given = values.filter(({ model }) => model !== '');
  return given.length === 0 ? null : given.map(({ model, on }) => ({ model, on }));
}

/** Fallbacks in words. */
export const fallbackText = (fallback: readonly ModelFallback[]): string =>
  fallback.map(({ model, on }) => `${model} ${reasons[on]}`).join(', ');
