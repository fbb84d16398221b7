import cluster, { type Worker } from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '@callsmith/config';
import { answerWorkersMetrics } from '../proxy/observers/workers-metrics.ts';

/** The task of a worker. A worker sends `task?` once it listens for the reply. */
export interface WorkerTask {
  readonly type: 'task';
  readonly config: Config;
  /** The demo's key, and whether it is this worker that sends the first turns. */
  readonly demo: { readonly key: string; readonly first: boolean } | undefined;
}

/** What a worker sends when it listens. */
export interface WorkerReady {
  readonly type: 'ready';
  readonly port: number;
  readonly upstreamProblems: readonly string[];
}

/** Time that a worker may take to end, in addition to that of its requests. */
const END_MS = 30_000;
const RESTART_MS = 1_000;

/**
 * Starts gateway processes that share one port and resolves when all of them listen; `ends` gets the function that
 * stops them. One that exits unexpectedly is restarted. `nextTask` is called once for each process. Throws if one exits
 * before it ever listened.
 */
export async function startWorkers(
  count: number,
  nextTask: () => WorkerTask,
  ends: (() => Promise<void> | void)[],
  { delayMs, requestsMs }: Config['drain'],
): Promise<WorkerReady> {
  let ending = false;
  cluster.setupPrimary({ serialization: 'advanced' });
  answerWorkersMetrics();

  const start = (): Promise<WorkerReady> =>
    new Promise((ready, failed) => {
      const worker = cluster.fork();
      let listens = false;
      worker.on('message', (message: WorkerReady | { type: 'task?' }) => {
        if (message.type === 'task?') worker.send(nextTask());
        if (message.type !== 'ready') return;
        listens = true;
        ready(message);
      });
      // A message to a worker that has just exited is lost, and its exit event handles that; one that never started has
      // no exit event.
      worker.on('error', (problem) => {
        if (worker.process.pid === undefined) failed(problem);
      });
      worker.once('exit', (code, signal) => {
        if (ending) return;
        if (!listens) return failed(new WorkerEnded(code));
        process.stderr.write(`A worker exited (${signal ?? code}); starting another.\n`);
        void again();
      });
    });

  const again = async (): Promise<void> => {
    for (;;) {
      await sleep(RESTART_MS);
      if (ending) return;
      if (await start().catch(() => undefined)) return;
    }
  };

  ends.push(async () => {
    ending = true;
    await Promise.all(
      Object.values(cluster.workers ?? {}).map((worker) => worker && ended(worker, delayMs + requestsMs + END_MS)),
    );
  });
  const [ready] = await Promise.all(Array.from({ length: count }, start));
  return ready as WorkerReady;
}

/** A worker could not start; it has printed the reason. */
export class WorkerEnded extends Error {
  constructor(code: number) {
    super(`a worker exited with ${code} before it was listening`);
  }
}

async function ended(worker: Worker, ms: number): Promise<void> {
  if (worker.isDead()) return;
  await new Promise<void>((done) => {
    const killTimer = setTimeout(() => worker.process.kill('SIGKILL'), ms);
    worker.once('exit', () => {
      clearTimeout(killTimer);
      done();
    });
    worker.process.kill('SIGTERM');
  });
}
