import type { Experiment, Model } from '@callsmith/contracts';
import { Button, Group, NativeSelect, NumberInput, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useAddress } from '../../lib/address.ts';
import { client } from '../../lib/api.ts';
import { hasRole, useMe } from '../../lib/session.ts';
import { Card } from '../../ui/card.tsx';
import { LoadingRows, Problem } from '../../ui/states.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import { toastError } from '../../ui/toast.ts';
import { experimentsQuery } from './queries.ts';

/** Sends a share of the new conversations to a strategy for some time; fetched when it is opened. */
export function ExperimentPanel({ model }: { model: Model }) {
  const me = useMe();
  const address = useAddress();
  const open = address.get('experiments') === 'open';
  const list = useQuery({ ...experimentsQuery(model.id), enabled: open });
  const items = list.data?.items;
  return (
    <Card
      title="Experiment"
      subtitle="Sends a share of new conversations to another strategy for a limited time, then compares the failed rates."
      aside={
        <Button
          size="xs"
          variant="default"
          aria-expanded={open}
          aria-label={open ? 'Hide experiments' : 'Show experiments'}
          onClick={() => address.set({ experiments: open ? null : 'open' })}
        >
          {open ? 'Hide' : 'Show'}
        </Button>
      }
    >
      {open && (
        <Stack gap="md">
          {list.isLoadingError && <Problem error={list.error} onRetry={() => void list.refetch()} />}
          {list.isPending && <LoadingRows rows={2} />}
          {items?.length === 0 && <Text c="dimmed">No experiments with this model yet.</Text>}
          {items?.map((item) => (
            <Found key={item.id} experiment={item} />
          ))}
          {items && hasRole(me, 'admin') && !items.some(({ state }) => state === 'running') && <Start model={model} />}
        </Stack>
      )}
    </Card>
  );
}

const strategies: readonly Experiment['strategy'][] = ['prompt', 'native', 'strict'];

function Start({ model }: { model: Model }) {
  const [strategy, setStrategy] = useState<Experiment['strategy']>('prompt');
  const [share, setShare] = useState<number | string>(10);
  const [hours, setHours] = useState<number | string>(24);
  const queryClient = useQueryClient();
  const start = useMutation({
    mutationFn: () =>
      client.experiments.start({
        params: { id: model.id },
        body: { strategy, share: Number(share), hours: Number(hours) },
      }),
    onSuccess: () => queryClient.invalidateQueries(experimentsQuery(model.id)),
    onError: toastError,
  });
  return (
    <Group gap="sm" align="flex-end">
      <NativeSelect
        label="Strategy"
        value={strategy}
        onChange={(event) => setStrategy(event.currentTarget.value as Experiment['strategy'])}
        data={[...strategies]}
      />
      <NumberInput
        label="New conversations (%)"
        min={1}
        max={90}
        allowDecimal={false}
        hideControls
        w={160}
        value={share}
        onChange={setShare}
      />
      <NumberInput label="Hours" min={0.1} max={720} hideControls w={90} value={hours} onChange={setHours} />
      <Button loading={start.isPending} onClick={() => start.mutate()}>
        Start
      </Button>
    </Group>
  );
}

const stateTexts: Readonly<Record<Experiment['state'], string>> = {
  running: 'running',
  done: 'over',
  kept: 'kept',
  undone: 'undone',
};

function Found({ experiment: { id, modelId, at, until, strategy, dialect, share, state, result } }: Props) {
  const me = useMe();
  const queryClient = useQueryClient();
  const decide = useMutation({
    mutationFn: (what: 'keep' | 'undo') => client.experiments[what]({ params: { id } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['models', modelId] }),
    onError: toastError,
  });
  const open = state === 'running' || state === 'done';
  return (
    <Stack gap={4}>
      <Text fz="sm">
        <b>{dialect === null ? strategy : `${strategy} with ${dialect}`}</b> for {share} % of new conversations, from{' '}
        <Timestamp at={at} /> until <Timestamp at={until} />: {stateTexts[state]}
      </Text>
      <Text fz="sm" c="dimmed">
        {result.sentence}
      </Text>
      {hasRole(me, 'admin') && state !== 'undone' && (
        <Group gap="xs">
          {open && (
            <Button variant="default" size="xs" loading={decide.isPending} onClick={() => decide.mutate('keep')}>
              Keep
            </Button>
          )}
          <Button variant="default" size="xs" loading={decide.isPending} onClick={() => decide.mutate('undo')}>
            Undo
          </Button>
        </Group>
      )}
    </Stack>
  );
}

interface Props {
  readonly experiment: Experiment;
}
