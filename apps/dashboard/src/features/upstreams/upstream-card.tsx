import type { Upstream } from '@callsmith/contracts';
import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useAddress } from '../../lib/address.ts';
import { client } from '../../lib/api.ts';
import { formatMillis, plural } from '../../lib/format.ts';
import { Card } from '../../ui/card.tsx';
import { ManagedTag } from '../../ui/managed-tag.tsx';
import { Tag } from '../../ui/tag.tsx';
import { RelativeTime } from '../../ui/timestamp.tsx';
import { toast, toastError } from '../../ui/toast.ts';
import { HealthStrip } from './health-strip.tsx';
import { kindNames } from './kinds.ts';
import css from './upstream-card.module.css';

/** One upstream: how it is, what it is, what it serves, and what can be done. */
export function UpstreamCard({ upstream, health }: { upstream: Upstream; health: boolean }) {
  const address = useAddress();
  return (
    <Card
      title={upstream.name}
      subtitle={<span className="mono">{upstream.baseUrl}</span>}
      aside={
        <>
          <Actions upstream={upstream} />
          {upstream.origin === 'admin' && upstream.managedBy === null && (
            <>
              <Button size="xs" variant="default" onClick={() => address.set({ edit: upstream.id })}>
                Edit…
              </Button>
              <Button size="xs" variant="subtle" color="gray" onClick={() => address.set({ remove: upstream.id })}>
                Remove…
              </Button>
            </>
          )}
        </>
      }
    >
      <Stack gap="sm">
        <State upstream={upstream} />
        <dl className={css.facts}>
          <Fact name="Kind">
            {upstream.kind.value ? kindNames[upstream.kind.value] : 'unknown'}
            {upstream.engineVersion && ` ${upstream.engineVersion}`}
          </Fact>
          <Fact name="Models">
            {upstream.models.length === 0
              ? 'none found yet'
              : upstream.models.length <= 6
                ? upstream.models.join(', ')
                : `${upstream.models.slice(0, 5).join(', ')} and ${upstream.models.length - 5} more`}
          </Fact>
          <Fact name="Credential">
            {upstream.hasCredential
              ? `stored, encrypted${upstream.credentialHeader ? `, sent as ${upstream.credentialHeader}` : ''}`
              : 'none'}
          </Fact>
          {Object.keys(upstream.headers).length > 0 && (
            <Fact name="Additional headers">{Object.keys(upstream.headers).join(', ')}</Fact>
          )}
          {!upstream.outOfRotation.upstream && upstream.outOfRotation.models.length > 0 && (
            <Fact name="Out of rotation">{upstream.outOfRotation.models.join(', ')}</Fact>
          )}
          {upstream.refuses.length > 0 && <Fact name="Unsupported parameters">{upstream.refuses.join(', ')}</Fact>}
        </dl>
        {health ? (
          <HealthStrip id={upstream.id} />
        ) : (
          <Anchor component="button" type="button" fz="sm" onClick={() => address.set({ health: upstream.id })}>
            Show the last 24 hours
          </Anchor>
        )}
      </Stack>
    </Card>
  );
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

function State({ upstream: { health, enabled, origin, outOfRotation, managedBy } }: { upstream: Upstream }) {
  const lamp = !enabled || !health ? css.unknown : health.ok && !outOfRotation.upstream ? css.ok : css.bad;
  return (
    <Group gap={8}>
      <Text component="div">
        <span className={`${css.lamp} ${lamp}`} aria-hidden="true" />
        {stateText({ health, enabled, origin })}
      </Text>
      {enabled && health && (
        <Text fz="sm" c="dimmed" component="div">
          {health.ok && health.latencyMs !== null && `${formatMillis(health.latencyMs)} · `}
          checked <RelativeTime at={health.at} />
        </Text>
      )}
      {outOfRotation.upstream && <Tag>out of rotation</Tag>}
      {managedBy === 'file' && <ManagedTag />}
      {origin !== 'admin' && <Tag kind="quiet">{origin === 'env' ? 'from the environment' : 'demo'}</Tag>}
    </Group>
  );
}

function stateText({ health, enabled, origin }: Pick<Upstream, 'health' | 'enabled' | 'origin'>): string {
  if (!enabled) return 'Disabled';
  if (!health) return origin === 'demo' ? 'Runs inside Callsmith' : 'Not checked yet';
  return health.ok ? 'Healthy' : `${health.error ?? 'Not responding'}, retrying every 10 s`;
}

function Actions({ upstream }: { upstream: Upstream }) {
  const queryClient = useQueryClient();
  const again = () => queryClient.invalidateQueries({ queryKey: ['upstreams'] });
  const discover = useMutation({
    mutationFn: () => client.upstreams.discover({ params: { id: upstream.id } }),
    onSuccess: async (found) => {
      await again();
      toast(`${found.name}: ${plural(found.models.length, 'model')} found.`);
    },
    onError: toastError,
  });
  const toggle = useMutation({
    mutationFn: () => client.upstreams.change({ params: { id: upstream.id }, body: { enabled: !upstream.enabled } }),
    onSuccess: again,
    onError: toastError,
  });
  return (
    <>
      <Button size="xs" variant="default" loading={discover.isPending} onClick={() => discover.mutate()}>
        Refresh models
      </Button>
      {upstream.origin === 'admin' && upstream.managedBy === null && (
        <Button size="xs" variant="default" loading={toggle.isPending} onClick={() => toggle.mutate()}>
          {upstream.enabled ? 'Disable' : 'Enable'}
        </Button>
      )}
    </>
  );
}
