import type { Job, JobHandler, PayloadOf } from './job.ts';

/** The result of a job's run. */
export interface JobRun {
  readonly name: string;
  readonly ms: number;
  /** Undefined: success. */
  readonly problem: unknown;
}

export interface AddOptions {
  /** Of several additions with the same id, one runs. */
  readonly id?: string;
  readonly delayMs?: number;
}

/** Passes jobs from those who request them to the processes that run them. */
export interface JobRunner {
  /** Requests a run. Throws if the payload is invalid, and if the store does not answer in 5 s. */
  add<J extends Job>(job: J, payload: PayloadOf<J>, options?: AddOptions): Promise<void>;
  /**
   * Starts running jobs, and schedules those with a period. Resolves once it has started, however long the store is
   * unreachable before, or when it is stopped.
   */
  work(handlers: ReadonlyMap<string, JobHandler>): Promise<void>;
  /** Takes no new jobs and waits for running ones. */
  stop(): Promise<void>;
}

/** Runs a handler: checks the payload, measures, and reports the result. Throws what the handler throws. */
export async function runJob(
  handler: JobHandler,
  payload: unknown,
  { signal, done }: { signal: AbortSignal; done: (run: JobRun) => void },
): Promise<void> {
  const began = performance.now();
  const ended = (problem: unknown) =>
    done({ name: handler.job.name, ms: Math.round(performance.now() - began), problem });
  try {
    await handler.run(handler.job.payload.parse(payload) as never, { signal });
  } catch (problem) {
    ended(problem);
    throw problem;
  }
  ended(undefined);
}

/** Pause before the next attempt, in milliseconds: 1 s, 2 s, 4 s … at most a minute. */
export const retryDelayMs = (tried: number): number => Math.min(60_000, 1_000 * 2 ** (tried - 1));
