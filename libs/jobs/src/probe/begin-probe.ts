import type { ProbeCause, ProbeSize } from '@callsmith/contracts';
import type { PrismaService } from '@callsmith/data/database';
import { endProbe, type Probe, type ProbeBudget, startProbe } from '@callsmith/data/probes';
import { probe as job } from '../jobs/probe.ts';
import type { JobRunner } from '../runner.ts';
import type { ProbeClient, ProbedModel } from './probe-client.ts';

/** A requested probe. */
export interface ProbeRequest extends ProbedModel {
  readonly engineVersion: string | null;
  readonly cause: ProbeCause;
  readonly size: ProbeSize;
  /** Overrides of the size's default budget. */
  readonly budget?: { readonly [Name in keyof ProbeBudget]?: ProbeBudget[Name] | undefined } | undefined;
}

/** The default budget: twice the need of a probe with three arms. */
const budgets: Readonly<Record<ProbeSize, ProbeBudget>> = {
  quick: { requests: 200, tokens: 400_000, minutes: 10 },
  full: { requests: 1_000, tokens: 2_000_000, minutes: 60 },
};

/**
 * Stores a probe and requests its job. `busy` if the model has a running probe, or two others have. Throws a `Fault` if
 * the model is gone.
 */
export async function beginProbe(
  { prisma, jobs, client }: { readonly prisma: PrismaService; readonly jobs: JobRunner; readonly client: ProbeClient },
  by: Parameters<typeof startProbe>[1],
  { budget, ...wish }: ProbeRequest,
): Promise<{ probe: Probe } | { busy: 'model' | 'others' }> {
  const setLimits = Object.entries(budget ?? {}).filter(([, value]) => value !== undefined);
  const allowed: ProbeBudget = { ...budgets[wish.size], ...Object.fromEntries(setLimits) };
  const started = await startProbe(prisma, by, { ...wish, ...client.arms(wish, wish.size), budget: allowed });
  // Not awaited: while the jobs' store is unreachable, the request may take as long as that.
  if ('probe' in started) {
    const { id } = started.probe;
    jobs
      .add(job, { id }, { id })
      .catch(() => endProbe(prisma, id, { state: 'failed', problem: 'The job queue is not available right now.' }))
      .catch(() => {}); // if the database is unreachable too, `watch-probes` adds it later
  }
  return started;
}
