import type { Upstream } from '@callsmith/contracts';
import { ActionIcon, Group, NumberInput, Select, TextInput } from '@mantine/core';
import { IconArrowUp, IconX } from '@tabler/icons-react';
import type { RouteValues } from './route-values.ts';

interface Given {
  readonly route: RouteValues;
  readonly offered: readonly Upstream[];
  readonly first: boolean;
  onChange(change: Partial<RouteValues>): void;
  onMoveUp(): void;
  onRemove(): void;
}

/** The fields of one upstream of a model. */
export const RouteRow = ({ route, offered, first, onChange, onMoveUp, onRemove }: Given) => (
  <Group gap="xs" align="flex-end">
    <Select
      size="xs"
      label="Upstream"
      flex="3 1 130px"
      data={offered.map(({ id, name }) => ({ value: id, label: name }))}
      value={route.upstreamId}
      onChange={(upstreamId) => upstreamId && onChange({ upstreamId })}
      allowDeselect={false}
    />
    <TextInput
      size="xs"
      label="Upstream model ID"
      placeholder="same as the name"
      flex="3 1 130px"
      value={route.upstreamModel}
      onChange={(event) => onChange({ upstreamModel: event.currentTarget.value })}
    />
    <NumberInput
      size="xs"
      label="Weight"
      flex="1 1 64px"
      min={0}
      max={1000}
      value={route.weight}
      onChange={(weight) => onChange({ weight })}
    />
    <ActionIcon variant="subtle" color="gray" aria-label="Move up" disabled={first} onClick={onMoveUp}>
      <IconArrowUp size={16} aria-hidden="true" />
    </ActionIcon>
    <ActionIcon variant="subtle" color="gray" aria-label="Remove upstream" onClick={onRemove}>
      <IconX size={16} aria-hidden="true" />
    </ActionIcon>
  </Group>
);
