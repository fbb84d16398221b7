import { Anchor, Button, Input, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { upstreamsQuery } from './queries.ts';
import { RouteRow } from './route-row.tsx';
import type { RouteValues } from './route-values.ts';

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
        <RouteRow
          key={route.upstreamId}
          route={route}
          offered={offered}
          first={at === 0}
          onChange={(change) => onChange(routes.with(at, { ...route, ...change }))}
          onMoveUp={() => onChange(routes.toSpliced(at - 1, 2, route, routes[at - 1]!))}
          onRemove={() => onChange(routes.toSpliced(at, 1))}
        />
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
