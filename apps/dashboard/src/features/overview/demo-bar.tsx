import { Button, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { client } from '../../lib/api.ts';
import { formatClock } from '../../lib/format.ts';
import { hasRole, useMe } from '../../lib/session.ts';
import { Tag } from '../../ui/tag.tsx';
import { toast } from '../../ui/toast.ts';
import css from './demo-bar.module.css';
import { type DemoTraffic, useDemoTraffic } from './use-demo-traffic.ts';

const Confirm = lazy(async () => ({ default: (await import('../../ui/confirm.tsx')).Confirm }));

/** Says that what is shown comes from the demo; stops its traffic, removes its data. */
export function DemoBar() {
  const me = useMe();
  const queryClient = useQueryClient();
  const traffic = useDemoTraffic();
  const [removing, setRemoving] = useState(false);
  const remove = async () => {
    traffic.stop();
    await client.installation.removeDemo();
    await queryClient.invalidateQueries();
    toast('Demo requests, key, team and models removed.');
  };
  return (
    <section className={css.bar} aria-label="Demo">
      <Tag>demo</Tag>
      <Text fz="sm" c="dimmed" className={css.state ?? ''} role="status">
        {demoText(traffic, me.installation.demoOnly)}
      </Text>
      {traffic.state === 'running' && (
        <Button size="xs" variant="default" onClick={traffic.stop}>
          Stop demo traffic
        </Button>
      )}
      {(traffic.state === 'stopped' || traffic.state === 'ended') && (
        <Button size="xs" variant="default" onClick={traffic.start}>
          Start demo traffic
        </Button>
      )}
      {hasRole(me, 'admin') && (
        <Button size="xs" variant="subtle" color="gray" onClick={() => setRemoving(true)}>
          Remove demo data…
        </Button>
      )}
      {removing && (
        <Suspense>
          <Confirm
            title="Remove demo data?"
            action="Remove"
            danger
            onConfirm={remove}
            onClose={() => setRemoving(false)}
          >
            Deletes all demo requests and the demo key, team and models. Your own keys, models and requests stay. This
            cannot be undone.
          </Confirm>
        </Suspense>
      )}
    </section>
  );
}

function demoText({ state, until }: DemoTraffic, demoOnly: boolean): string {
  const traffic = demoOnly ? 'Live traffic from simulated models' : 'Includes traffic from simulated models';
  switch (state) {
    case 'running':
      return `${traffic}, one request every 2 s while this page is open${until ? `, until ${formatClock(until)}` : ''}.`;
    case 'stopped':
      return `${traffic}. Demo traffic is stopped.`;
    case 'ended':
      return `${traffic}. Demo traffic ended after 15 minutes.`;
    case 'off':
      return `${traffic}.`;
  }
}
