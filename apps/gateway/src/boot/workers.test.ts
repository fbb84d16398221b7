import cluster from 'node:cluster';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { startWorkers, WorkerEnded, type WorkerTask } from './workers.ts';

/** A process that asks for its task, listens once it has it, and ends at SIGTERM. */
const worker = `
process.on('SIGTERM', () => process.exit(0));
process.once('message', () => process.send({ type: 'ready', port: 1, upstreamProblems: [] }));
process.send({ type: 'task?' });
`;

let folder: string;
let ends: (() => Promise<void> | void)[];
const task = { type: 'task' } as WorkerTask;
const pids = (): number[] => Object.values(cluster.workers ?? {}).flatMap((one) => one?.process.pid ?? []);

/** Kills a process and returns when it has exited, before its exit event. */
const kill = (pid: number): void => {
  process.kill(pid, 'SIGKILL');
  const until = performance.now() + 200;
  while (performance.now() < until);
};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'workers-'));
  writeFileSync(join(folder, 'worker.cjs'), worker);
  cluster.setupPrimary({ exec: join(folder, 'worker.cjs'), args: [], execArgv: [] });
  ends = [];
});

afterEach(async () => {
  for (const end of ends) await end();
  rmSync(folder, { recursive: true, force: true });
  vi.restoreAllMocks();
});

it('a worker that exits before it gets its task fails the start, not the parent process', async () => {
  const started = startWorkers(
    1,
    () => {
      for (const pid of pids()) kill(pid);
      return task;
    },
    ends,
    { delayMs: 0, requestsMs: 1000 },
  );
  await expect(started).rejects.toThrow(WorkerEnded);
});

it('a worker that exits while it is restarted is restarted again', async () => {
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const startedPids: number[] = [];
  await startWorkers(
    1,
    () => {
      startedPids.push(pids()[0] as number);
      if (startedPids.length === 2) kill(startedPids[1] as number);
      return task;
    },
    ends,
    { delayMs: 0, requestsMs: 1000 },
  );
  kill(startedPids[0] as number);
  await expect.poll(() => startedPids.length, { timeout: 5_000 }).toBe(3);
});
