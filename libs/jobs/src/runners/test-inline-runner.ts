import { setTimeout as sleep } from 'node:timers/promises';
import type { Job, JobHandler, PayloadOf } from '../job.ts';
import { type AddOptions, type JobRun, type JobRunner, retryDelayMs, runJob } from '../runner.ts';

/** Runs jobs immediately in this process; nothing is scheduled. */
export class InlineRunner implements JobRunner {
  private handlers: ReadonlyMap<string, JobHandler> = new Map();
  private readonly running = new Set<Promise<void>>();
  private readonly ids = new Set<string>();
  private readonly stopping = new AbortController();

  constructor(
    private readonly done: (run: JobRun) => void = () => {},
    private readonly pause: (tried: number) => number = retryDelayMs,
  ) {}

  async add<J extends Job>(job: J, payload: PayloadOf<J>, { id, delayMs = 0 }: AddOptions = {}): Promise<void> {
    job.payload.parse(payload);
    if (id !== undefined) {
      if (this.ids.has(`${job.name} ${id}`)) return;
      this.ids.add(`${job.name} ${id}`);
    }
    const run = this.tries(job, payload, delayMs).finally(() => this.running.delete(run));
    this.running.add(run);
  }

  async work(handlers: ReadonlyMap<string, JobHandler>): Promise<void> {
    this.handlers = handlers;
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.running);
  }

  private async tries(job: Job, payload: unknown, delayMs: number): Promise<void> {
    if (delayMs > 0 && !(await this.waits(delayMs))) return;
    const handler = this.handlers.get(job.name);
    if (!handler) return;
    for (let tried = 1; ; tried++) {
      try {
        return await runJob(handler, payload, { signal: this.stopping.signal, done: this.done });
      } catch {
        if (tried >= job.tries || !(await this.waits(this.pause(tried)))) return;
      }
    }
  }

  /** False: stopping. */
  private waits(ms: number): Promise<boolean> {
    return sleep(ms, undefined, { signal: this.stopping.signal }).then(
      () => true,
      () => false,
    );
  }
}
