import type { Job, JobHandler, PayloadOf } from './job.ts';

/** How a run of a job went. */
export interface JobRun {
  readonly name: string;
  readonly ms: number;
  /** Undefined: well. */
  readonly problem: unknown;
}

export interface AddOptions {
  /** Of several additions with the same id, one runs. */
  readonly id?: string;
  readonly delayMs?: number;
}

/** Carries jobs from who asks for them to who does them. */
export interface JobRunner {
  /** Asks for a run. Throws if the payload is not what the job takes, and where the store does not answer in 5 s. */
  add<J extends Job>(job: J, payload: PayloadOf<J>, options?: AddOptions): Promise<void>;
  /**
   * Begins to do jobs, and sees to it that those with a period run by themselves. Resolves once it has begun, however
   * long the store is away before, or when it is stopped.
   */
  work(handlers: ReadonlyMap<string, JobHandler>): Promise<void>;
  /** Takes no new jobs and waits for those that run. */
  stop(): Promise<void>;
}

/** Runs a handler: checks the payload, measures, and tells how it went. Throws what the handler throws. */
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

/** Pause before the next try, in milliseconds: 1 s, 2 s, 4 s … at most a minute. */
export const retryDelayMs = (tried: number): number => Math.min(60_000, 1_000 * 2 ** (tried - 1));
