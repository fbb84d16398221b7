import type { z } from 'zod';

/** A kind of background work: its payload, how often it is retried, and how often it is scheduled. */
export interface Job<Payload extends z.ZodType = z.ZodType> {
  /** Kebab-case. */
  readonly name: string;
  readonly payload: Payload;
  /** Maximum attempts, with growing pauses between them. */
  readonly tries: number;
  /** Milliseconds between scheduled runs, on one of all gateways; undefined: only on request. */
  readonly everyMs?: number;
}

export type PayloadOf<J> = J extends Job<infer Payload> ? z.output<Payload> : never;

/** Declares a job. */
export const defineJob = <Payload extends z.ZodType>(job: Job<Payload>): Job<Payload> => job;

export interface JobContext {
  /** Aborted when the process stops, so that work can end early. */
  readonly signal: AbortSignal;
}

/** The implementation of a job. */
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
