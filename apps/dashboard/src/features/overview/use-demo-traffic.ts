import { useDocumentVisibility } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../lib/api.ts';
import { hasRole, useMe } from '../../lib/session.ts';

export interface DemoTraffic {
  readonly state: 'running' | 'stopped' | 'ended' | 'off';
  readonly until: string | null;
  start(): void;
  stop(): void;
}

const queryKey = ['demo-turns'];
const remembered = 'callsmith-demo-stopped';

/**
 * Keeps the demo going while this view of a demo-only installation is open and visible: asks for turns every few
 * seconds, until stopped or the gateway says that the time is up.
 */
export function useDemoTraffic(): DemoTraffic {
  const me = useMe();
  const queryClient = useQueryClient();
  const visible = useDocumentVisibility() === 'visible';
  const [stopped, setStopped] = useState(() => sessionStorage.getItem(remembered) === 'yes');
  const mayAsk = me.installation.demoOnly && hasRole(me, 'admin');
  const { data } = useQuery({
    queryKey,
    queryFn: ({ signal }) => client.installation.keepDemoGoing({ body: { on: true } }, signal),
    enabled: mayAsk && visible && !stopped,
    refetchInterval: (query) => (query.state.data?.running === false ? false : 5_000),
    retry: false,
  });
  const ask = async (on: boolean) => {
    setStopped(!on);
    sessionStorage.setItem(remembered, on ? 'no' : 'yes');
    await queryClient.cancelQueries({ queryKey });
    const answer = await client.installation.keepDemoGoing({ body: { on } }).catch(() => undefined);
    if (answer) queryClient.setQueryData(queryKey, answer);
  };
  return {
    state: stateOf(mayAsk, stopped, data?.running),
    until: data?.until ?? null,
    start: () => void ask(true),
    stop: () => void ask(false),
  };
}

function stateOf(mayAsk: boolean, stopped: boolean, running: boolean | undefined): DemoTraffic['state'] {
  if (!mayAsk || (running === undefined && !stopped)) return 'off';
  if (stopped) return 'stopped';
  return running ? 'running' : 'ended';
}
