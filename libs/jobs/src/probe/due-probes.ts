import type { ModelEntry } from '@callsmith/data/snapshot';
import type { ProbedModel } from './probe-client.ts';

/** A probe that should be started. */
export interface DueProbe extends ProbedModel {
  readonly engineVersion: string | null;
  readonly cause: 'schedule' | 'engine-version';
}

/** When a model was last probed on an upstream. */
interface LastProbe extends ProbedModel {
  readonly engineVersion: string | null;
  readonly at: Date;
}

const DAY_MS = 86_400_000;
const periods = { daily: DAY_MS, weekly: 7 * DAY_MS } as const;

/**
 * The due probes: of models with a schedule, on the upstream that is used first; and of probed models whose engine has
 * another version now.
 */
export function dueProbes(
  models: readonly Pick<ModelEntry, 'id' | 'routes' | 'probeSchedule'>[],
  last: readonly LastProbe[],
  now: Date,
): DueProbe[] {
  return models.flatMap(({ id: modelId, routes, probeSchedule }) =>
    routes.flatMap(({ upstream }, at): DueProbe[] => {
      const engineVersion = upstream.engineVersion ?? null;
      const before = last.find((probe) => probe.modelId === modelId && probe.upstreamId === upstream.id);
      const due = { modelId, upstreamId: upstream.id, engineVersion };
      if (before?.engineVersion && engineVersion !== null && before.engineVersion !== engineVersion)
        return [{ ...due, cause: 'engine-version' }];
      if (at > 0 || probeSchedule === undefined) return [];
      const since = before?.at.getTime() ?? 0;
      return now.getTime() - since >= periods[probeSchedule.value] ? [{ ...due, cause: 'schedule' }] : [];
    }),
  );
}
