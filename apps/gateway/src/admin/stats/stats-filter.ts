import type { PostgresConfigSnapshot } from '@callsmith/data/snapshot';
import type { StatsFilter } from '@callsmith/data/stats';
import { type Caller, teamToFilterBy } from '../access/caller.ts';
import { timeRange } from '../time-range.ts';

/** The turns to count. */
export interface StatsQuery {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** A name or an id; a model that is no longer listed is found by its id. */
  readonly model?: string | undefined;
  readonly teamId?: string | undefined;
  readonly keyId?: string | undefined;
  readonly client?: string | undefined;
}

/** The requested filter, within what the caller may see. Throws a 404 for another team. */
export function statsFilter(
  { model, teamId, keyId, client, ...range }: StatsQuery,
  caller: Caller,
  snapshot: PostgresConfigSnapshot,
): StatsFilter {
  const modelId = model === undefined ? undefined : (snapshot.model(model)?.id ?? model);
  return { ...timeRange(range), modelId, teamId: teamToFilterBy(caller, teamId), keyId, client };
}
