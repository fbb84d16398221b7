import type { StrategyChange } from '@callsmith/contracts';
import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { RateBar, RateText, type RateValue } from '../../ui/rate.tsx';
import { Problem } from '../../ui/states.tsx';
import { type Evidence, evidenceQuery } from './queries.ts';

const hour = 3_600_000;

/** The malformed rate of the hour before a change and of the hour after it, each with its interval. */
export function BeforeAfter({ of: change }: { of: StrategyChange }) {
  const at = Date.parse(change.at);
  const before = useQuery(evidenceQuery(change.modelId, { from: iso(at - hour), to: change.at }));
  const after = useQuery(evidenceQuery(change.modelId, { from: change.at, to: iso(at + hour) }));
  if (before.error ?? after.error) return <Problem error={before.error ?? after.error} />;
  if (!before.data || !after.data) return <Text c="dimmed">…</Text>;
  const [old, now] = [malformedOf(before.data), malformedOf(after.data)];
  const max = Math.max(0.05, old?.high ?? 0, now?.high ?? 0);
  return (
    <Stack gap={4} miw={150}>
      <Side name="hour before" rate={old} max={max} />
      <Side name="hour after" rate={now} max={max} />
    </Stack>
  );
}

const Side = ({ name, rate, max }: { name: string; rate: RateValue | null; max: number }) => (
  <div>
    <Text fz="xs" c="dimmed">
      {name}
    </Text>
    <RateText rate={rate} />
    {rate && <RateBar rate={rate} max={max} />}
  </div>
);

// Whichever strategy ran more in that hour: around a change both may have.
function malformedOf({ native, prompt }: Evidence): RateValue | null {
  if (!native.malformed || !prompt.malformed) return native.malformed ?? prompt.malformed;
  return native.malformed.n >= prompt.malformed.n ? native.malformed : prompt.malformed;
}

const iso = (time: number) => new Date(time).toISOString();
