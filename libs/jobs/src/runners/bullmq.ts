import { setTimeout as sleep } from 'node:timers/promises';
import { createPostgresBackend, type JobsOptions, Queue, Worker, withBackend } from 'bullmq';
import { Redis } from 'ioredis';
import type { Job, JobHandler, PayloadOf } from '../job.ts';
import { type AddOptions, type JobRun, type JobRunner, retryDelayMs, runJob } from '../runner.ts';

export interface BullmqOptions {
  readonly databaseUrl: string;
  /** Undefined: jobs are stored in Postgres. */
  readonly redisUrl: string | undefined;
  /** The queue's name; one queue carries all jobs (D-31). */
  readonly queue?: string;
  readonly done: (run: JobRun) => void;
  /** Called when the store is unreachable; it is retried automatically. */
  readonly onError: (problem: Error) => void;
  /** Pause before the next attempt; by default 1 s, 2 s, 4 s … */
  readonly pause?: (tried: number) => number;
  /** How long a stop waits for running jobs and for a store that does not answer; 10 s. */
  readonly maxWaitMs?: number;
}

const onPostgres = withBackend(createPostgresBackend);
const CONCURRENCY = 4;

/** Jobs by BullMQ: on Postgres by default, on Redis where there is one. */
export class BullmqRunner implements JobRunner {
  private queue: OpenQueue;
  private worker: OpenWorker | undefined;
  private readonly redis: Redis | undefined;
  private readonly stopping = new AbortController();

  constructor(private readonly options: BullmqOptions) {
    if (options.redisUrl !== undefined) {
      this.redis = new Redis(options.redisUrl, { maxRetriesPerRequest: null });
      this.redis.on('error', options.onError);
    }
    this.queue = this.openQueue();
  }

  /** The queue itself, for the read-only console; replaced if the setup of Postgres failed. */
  get board(): Queue {
    return this.queue as Queue;
  }

  async add<J extends Job>(job: J, payload: PayloadOf<J>, { id, delayMs }: AddOptions = {}): Promise<void> {
    const data = job.payload.parse(payload);
    const added = this.queue.add(job.name, data, {
      ...optionsOf(job),
      ...(id === undefined ? {} : { jobId: `${job.name}.${id}` }),
      ...(delayMs === undefined ? {} : { delay: delayMs }),
    });
    await inTime(added);
  }

  async work(handlers: ReadonlyMap<string, JobHandler>): Promise<void> {
    const { signal } = this.stopping;
    for (let tried = 1; !signal.aborted; tried++) {
      try {
        return await this.begin(handlers);
      } catch (problem) {
        if (signal.aborted) return;
        this.options.onError(problem as Error);
        await this.openAgain();
        await sleep((this.options.pause ?? retryDelayMs)(tried), undefined, { signal }).catch(() => {});
      }
    }
  }

  private async begin(handlers: ReadonlyMap<string, JobHandler>): Promise<void> {
    const settings = { backoffStrategy: this.options.pause ?? retryDelayMs };
    const run = async (name: string, payload: unknown) => {
      const handler = handlers.get(name);
      if (!handler) throw new Error(`no handler for ${name}`);
      return runJob(handler, payload, { signal: this.stopping.signal, done: this.options.done });
    };
    const work = (job: { name: string; data: unknown }) => run(job.name, job.data);
    // Fetching starts once the store is ready: BullMQ 6.7 never retries a Postgres that fails during its setup, and its
    // loop would then spin without a pause and block the whole process.
    const common = { concurrency: CONCURRENCY, settings, autorun: false };
    this.worker = this.redis
      ? new Worker(this.name, work, { ...common, connection: this.redis })
      : new onPostgres.Worker(this.name, work, { ...common, connection: this.postgres(2) });
    this.worker.on('error', this.options.onError);
    await this.worker.waitUntilReady();
    const jobs = [...handlers.values()].map(({ job }) => job);
    await this.schedule(jobs);
    this.worker.run().catch(this.options.onError);
    // A Redis that comes back may be empty.
    this.redis?.on('ready', () => void this.schedule(jobs).catch(this.options.onError));
  }

  private get name(): string {
    return this.options.queue ?? 'callsmith';
  }

  private openQueue(): OpenQueue {
    const queue = this.redis
      ? new Queue(this.name, { connection: this.redis })
      : new onPostgres.Queue(this.name, { connection: this.postgres(1) });
    queue.on('error', this.options.onError);
    return queue;
  }

  /** Discards queue and worker: BullMQ does not recover from a failed setup. */
  private async openAgain(): Promise<void> {
    const old = [this.worker, this.queue];
    this.worker = undefined;
    this.queue = this.openQueue();
    const closed = Promise.allSettled(old.map((part) => part?.close()));
    await Promise.race([closed, sleep(2_000, undefined, { ref: false })]);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    const closed = this.close().catch(this.options.onError);
    await Promise.race([closed, sleep(this.options.maxWaitMs ?? 10_000, undefined, { ref: false })]);
    this.redis?.disconnect();
  }

  private async close(): Promise<void> {
    await this.worker?.close();
    await this.queue.close();
  }

  /** Every gateway registers the same schedules; the store keeps each once. */
  private async schedule(jobs: readonly Job[]): Promise<void> {
    for (const job of jobs) {
      if (job.everyMs === undefined) continue;
      await this.queue.upsertJobScheduler(
        job.name,
        { every: job.everyMs },
        { name: job.name, data: job.payload.parse({}) as object, opts: optionsOf(job) },
      );
    }
  }

  /** A pool of `max` connections; a worker has one more to listen on. */
  private postgres(max: number) {
    return { connectionString: this.options.databaseUrl, schema: 'bullmq', migrate: true, max };
  }
}

const ANSWER_MS = 5_000;

/** Throws if a store has not answered for too long; the request may still take effect. */
async function inTime(request: Promise<unknown>): Promise<void> {
  const waiting = new AbortController();
  const timeout = sleep(ANSWER_MS, undefined, { ref: false, signal: waiting.signal });
  const unanswered = timeout.then(() => {
    throw new Error('the store of the job queue does not respond');
  });
  try {
    await Promise.race([request, unanswered]);
  } finally {
    waiting.abort();
  }
}

/** The common interface of both backends' queues. */
interface OpenQueue {
  add(name: string, data: unknown, options: JobsOptions): Promise<unknown>;
  upsertJobScheduler(
    id: string,
    repeat: { every: number },
    template: {
      name: string;
      data: unknown;
      opts: Omit<JobsOptions, 'jobId' | 'repeat' | 'delay' | 'deduplication' | 'debounce'>;
    },
  ): Promise<unknown>;
  on(event: 'error', listener: (problem: Error) => void): unknown;
  close(): Promise<void>;
}

interface OpenWorker {
  waitUntilReady(): Promise<unknown>;
  run(): Promise<unknown>;
  on(event: 'error', listener: (problem: Error) => void): unknown;
  close(): Promise<void>;
}

const optionsOf = (job: Job) => ({
  attempts: job.tries,
  backoff: { type: 'custom' },
  removeOnComplete: { age: 3_600, count: 1_000 },
  removeOnFail: { age: 7 * 86_400, count: 1_000 },
});
