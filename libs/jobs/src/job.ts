import type { z } from 'zod';

/** Background work by name: what it is given, how often it is tried, and how often it runs by itself. */
export interface Job<Payload extends z.ZodType = z.ZodType> {
  /** Kebab-case. */
  readonly name: string;
  readonly payload: Payload;
  /** Times it is tried in all, with growing pauses between. */
  readonly tries: number;
  /** Milliseconds from one run by itself to the next, on one of all gateways; absent: only when asked for. */
  readonly everyMs?: number;
}

export type PayloadOf<J> = J extends Job<infer Payload> ? z.output<Payload> : never;

/** Declares background work. */
export const defineJob = <Payload extends z.ZodType>(job: Job<Payload>): Job<Payload> => job;

export interface JobContext {
  /** Aborted when the process stops: work that can end early does. */
  readonly signal: AbortSignal;
}

/** What does the work of a job. */
export interface JobHandler<J extends Job = Job> {
  readonly job: J;
  run(payload: PayloadOf<J>, context: JobContext): Promise<void>;
}

/** The handlers of all jobs by name. Throws if a job has no handler, or two. */
export function handlersOf(jobs: readonly Job[], handlers: readonly JobHandler[]): ReadonlyMap<string, JobHandler> {
  const byName = new Map<string, JobHandler>();
  for (const handler of handlers) {
    if (byName.has(handler.job.name)) throw new Error(`two handlers for the job ${handler.job.name}`);
    byName.set(handler.job.name, handler);
  }
  const without = jobs.filter(({ name }) => !byName.has(name));
  if (without.length > 0) throw new Error(`no handler for ${without.map(({ name }) => name).join(', ')}`);
  return byName;
}
