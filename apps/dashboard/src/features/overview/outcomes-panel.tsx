import { useQuery } from '@tanstack/react-query';
import { LoadingRows, Problem } from '../../ui/states.tsx';
import { OutcomesOverTime } from './outcomes-over-time.tsx';
import { type OverviewFilter, overviewQuery } from './queries.ts';

/** Outcomes over time of the calls of one key or team, with the strategy changes of its models; nothing where it has had no calls. */
export function OutcomesPanel({ filter }: { filter: Omit<OverviewFilter, 'models'> }) {
  const query = { ...filter, models: 'failed' } as const;
  const overview = useQuery(overviewQuery(query));
  const { data } = overview;
  if (overview.isError && !data) return <Problem error={overview.error} onRetry={() => void overview.refetch()} />;
  if (!data) return <LoadingRows rows={6} />;
  if (data.models === 0) return null;
  const own = new Set(data.byModel.map(({ modelId }) => modelId));
  const changes = data.changes.filter(({ modelId }) => own.has(modelId));
  return <OutcomesOverTime data={{ ...data, changes }} filter={query} />;
}
