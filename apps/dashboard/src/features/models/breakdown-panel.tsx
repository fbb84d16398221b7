import type { api, Model, ReplyOf } from '@callsmith/contracts';
import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { useAddress } from '../../lib/address.ts';
import type { Period } from '../../lib/period.ts';
import { Card } from '../../ui/card.tsx';
import { LoadingRows, Problem } from '../../ui/states.tsx';
import { overviewQuery } from '../overview/queries.ts';
import { breakdownQuery } from './queries.ts';

type Breakdown = ReplyOf<typeof api.models.breakdown>;

const OutcomesOverTime = lazy(async () => ({
  default: (await import('../overview/outcomes-over-time.tsx')).OutcomesOverTime,
}));
const BreakdownTables = lazy(async () => ({ default: (await import('./breakdown-tables.tsx')).BreakdownTables }));

/** Outcomes over time, by tool and by client, and what tool prompts cost; fetched when it is opened. */
export function BreakdownPanel({ model, period }: { model: Model; period: Period }) {
  const address = useAddress();
  const open = address.get('breakdown') === 'open';
  const breakdown = useQuery({ ...breakdownQuery(model.id, period), enabled: open });
  return (
    <>
      <Card
        title="Outcomes in detail"
        aside={
          <Button
            size="xs"
            variant="default"
            aria-expanded={open}
            onClick={() => address.set({ breakdown: open ? null : 'open' })}
          >
            {open ? 'Hide' : 'Show'}
          </Button>
        }
      >
        {!open && (
          <Text c="dimmed">
            Outcomes over time with strategy and engine changes, outcomes by tool and client, and the size of the tool
            prompt.
          </Text>
        )}
        {open && breakdown.isError && !breakdown.data && (
          <Problem error={breakdown.error} onRetry={() => void breakdown.refetch()} />
        )}
        {open && breakdown.isPending && <LoadingRows rows={8} />}
        {open && breakdown.data && (
          <Suspense fallback={<LoadingRows rows={8} />}>
            <BreakdownTables model={model.name} breakdown={breakdown.data} />
          </Suspense>
        )}
      </Card>
      {open && breakdown.data && <Course model={model} period={period} changes={breakdown.data.engineChanges} />}
    </>
  );
}

/** Outcomes over time with lines where the strategy or the engine's version changed. */
function Course({ model, period, changes }: { model: Model; period: Period; changes: Breakdown['engineChanges'] }) {
  const filter = { models: 'failed', period, model: model.name } as const;
  const overview = useQuery(overviewQuery(filter));
  if (overview.isError && !overview.data)
    return <Problem error={overview.error} onRetry={() => void overview.refetch()} />;
  if (!overview.data) return <LoadingRows rows={6} />;
  // The version that was there already when the range began is no change.
  const marks = changes.map(({ version, at }) => ({ at, label: `Engine: ${version}` }));
  return (
    <Suspense fallback={<LoadingRows rows={6} />}>
      <OutcomesOverTime data={{ ...overview.data, marks }} filter={filter} />
    </Suspense>
  );
}
