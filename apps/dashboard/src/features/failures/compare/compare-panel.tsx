import type { TurnDetail } from '@callsmith/contracts';
import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useAddress } from '../../../lib/address.ts';
import { Card } from '../../../ui/card.tsx';
import { LoadingRows, Problem } from '../../../ui/states.tsx';
import { turnQuery } from '../queries.ts';
import { betweenRequests, type Comparison, withinRequest } from './comparisons.ts';
import { DifferenceText } from './difference-text.tsx';

type Body = NonNullable<TurnDetail['body']>;

/** How the address says: the first comparison that there is. */
export const firstComparison = 'sent';

/** Two texts of a request, or of it and another one, with their differences. Which ones is in the URL. */
export function ComparePanel({ id, body }: { id: string; body: Body }) {
  const address = useAddress();
  const other = address.get('with');
  return (
    <Card
      title="Compare"
      subtitle={other ? `With request ${other}` : 'What the gateway changed, and what differs between tries'}
      aside={
        <Button size="xs" variant="default" onClick={() => address.set({ compare: null, with: null })}>
          Close
        </Button>
      }
    >
      <Stack gap="sm">
        {other ? <WithOther other={other} body={body} /> : <Choice comparisons={withinRequest(body)} />}
        <OtherRequest key={other ?? ''} id={id} other={other} />
      </Stack>
    </Card>
  );
}

function WithOther({ other, body }: { other: string; body: Body }) {
  const detail = useQuery(turnQuery(other));
  if (detail.isPending) return <LoadingRows rows={4} />;
  if (detail.isLoadingError) return <Problem error={detail.error} onRetry={() => void detail.refetch()} />;
  if (!detail.data.body)
    return (
      <Text fz="sm">
        The message content of the other request is not available. {detail.data.bodyMissing ?? 'It was not stored.'}
      </Text>
    );
  return <Choice comparisons={betweenRequests(detail.data.body, body)} />;
}

function Choice({ comparisons }: { comparisons: readonly Comparison[] }) {
  const address = useAddress();
  const chosen = comparisons.find(({ name }) => name === address.get('compare')) ?? comparisons[0];
  if (chosen === undefined) return <Text fz="sm">One of the two texts was not stored: nothing to compare.</Text>;
  return (
    <>
      <Select
        label="Texts"
        maw={420}
        size="xs"
        allowDeselect={false}
        data={comparisons.map(({ name, label }) => ({ value: name, label }))}
        value={chosen.name}
        onChange={(compare) => address.set({ compare })}
      />
      <DifferenceText key={chosen.name} before={chosen.before} after={chosen.after} />
    </>
  );
}

function OtherRequest({ id, other }: { id: string; other: string | undefined }) {
  const address = useAddress();
  const [typed, setTyped] = useState(other ?? '');
  const wanted = typed.trim();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    address.set({ with: wanted || null, compare: wanted ? 'client' : firstComparison });
  };
  return (
    <form onSubmit={submit}>
      <Group gap="xs" align="flex-end">
        <TextInput
          label="Another request"
          placeholder="turn_…"
          size="xs"
          flex={1}
          maw={420}
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        />
        <Button type="submit" size="xs" variant="default" disabled={wanted === id || wanted === (other ?? '')}>
          {wanted === '' && other ? 'Compare within this request' : 'Compare'}
        </Button>
      </Group>
    </form>
  );
}
