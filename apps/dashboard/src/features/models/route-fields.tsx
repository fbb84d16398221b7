import { ActionIcon, Anchor, Button, Group, Input, NumberInput, Select, Stack, Text, TextInput } from '@mantine/core';
import { IconArrowUp, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { upstreamsQuery } from './queries.ts';

/** One upstream of a model as it is typed; an empty name there is the model's own. */
export interface RouteValues {
  readonly upstreamId: string;
  readonly upstreamModel: string;
  readonly weight: number | string;
}

/** The upstreams that serve a model: conversations are spread by weight, the order is for when one is away. */
export function RouteFields({
  routes,
  onChange,
  error,
  demo = false,
}: {
  routes: readonly RouteValues[];
  onChange: (routes: readonly RouteValues[]) => void;
  error?: ReactNode;
  demo?: boolean;
}) {
  const upstreams = useQuery(upstreamsQuery);
  const offered = (upstreams.data?.items ?? []).filter(({ origin }) => (origin === 'demo') === demo);
  const set = (at: number, change: Partial<RouteValues>) =>
    onChange(routes.map((route, place) => (place === at ? { ...route, ...change } : route)));
  const free = offered.find(({ id }) => routes.every(({ upstreamId }) => upstreamId !== id));
  return (
    <Stack gap="xs" role="group" aria-label="Upstreams">
      <div>
        <Input.Label labelElement="div">Upstreams</Input.Label>
        <Input.Description>
          Conversations are distributed by weight. If an upstream is down, the next one in this order takes over. An
          upstream with weight 0 is used only then.
        </Input.Description>
      </div>
      {routes.map((route, at) => (
        <Group key={route.upstreamId} gap="xs" align="flex-end">
          <Select
            size="xs"
            label="Upstream"
            flex="3 1 130px"
            data={offered.map(({ id, name }) => ({ value: id, label: name }))}
            value={route.upstreamId}
            onChange={(upstreamId) => upstreamId && set(at, { upstreamId })}
            allowDeselect={false}
          />
          <TextInput
            size="xs"
            label="Upstream model ID"
            placeholder="same as the name"
            flex="3 1 130px"
            value={route.upstreamModel}
            onChange={(event) => set(at, { upstreamModel: event.currentTarget.value })}
          />
          <NumberInput
            size="xs"
            label="Weight"
            flex="1 1 64px"
            min={0}
            max={1000}
            value={route.weight}
            onChange={(weight) => set(at, { weight })}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label="Move up"
            disabled={at === 0}
            onClick={() => onChange(routes.toSpliced(at - 1, 2, route, routes[at - 1]!))}
          >
            <IconArrowUp size={16} aria-hidden="true" />
          </ActionIcon>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label="Remove upstream"
            onClick={() => onChange(routes.toSpliced(at, 1))}
          >
            <IconX size={16} aria-hidden="true" />
          </ActionIcon>
        </Group>
      ))}
      {error && (
        <Text c="red" fz="xs">
          {error}
        </Text>
      )}
      {upstreams.data && offered.length === 0 ? (
        <Text fz="sm">
          No upstreams yet.{' '}
          <Anchor component={Link} to="/upstreams?add=yes" inherit>
            Add an upstream
          </Anchor>{' '}
          first.
        </Text>
      ) : (
        <Button
          size="xs"
          variant="default"
          disabled={!free}
          style={{ alignSelf: 'flex-start' }}
          onClick={() => free && onChange([...routes, { upstreamId: free.id, upstreamModel: '', weight: 1 }])}
        >
          Add upstream
        </Button>
      )}
    </Stack>
  );
}

/** Routes as the API takes them. */
export const routesOf = (routes: readonly RouteValues[]) =>
  routes.map(({ upstreamId, upstreamModel, weight }) => ({
    upstreamId,
    ...(upstreamModel.trim() !== '' && { upstreamModel }),
    weight: Number(weight),
  }));
