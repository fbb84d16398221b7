import type { ModelEntry } from '@callsmith/data/snapshot';
import type { ProbedModel } from './probe-client.ts';

/** A probe that is to begin by itself. */
export interface DueProbe extends ProbedModel {
  readonly engineVersion: string | null;
  readonly cause: 'schedule' | 'engine-version';
}

/** When a model was probed on an upstream last. */
interface LastProbe extends ProbedModel {
  readonly engineVersion: string | null;
  readonly at: Date;
}

const DAY_MS = 86_400_000;
const periods = { daily: DAY_MS, weekly: 7 * DAY_MS } as const;

/**
 * What is due: a model that is probed regularly, on the upstream that is asked first; and a model that was probed where
 * another version of the engine runs now.
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
