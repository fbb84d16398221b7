import cluster from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { readSettings } from '@callsmith/config';
import { UpstreamWatch } from '@callsmith/data/upstreams';
import { createApp } from '../app.ts';
import { Demo } from '../demo/demo.ts';
import { Readiness } from '../health/readiness.ts';
import { ProxyService } from '../proxy/request/proxy.service.ts';
import { banner } from './banner.ts';
import { collectGarbage } from './collect-garbage.ts';
import { startDemoServer } from './demo-server.ts';
import { followRequests } from './drain.ts';
import { announce } from './instance.ts';
import { seedTables } from './seed-tables.ts';
import { isSetupProblem } from './setup-problem.ts';
import { onStopSignal } from './signals.ts';
import { StartupProgress } from './steps.ts';
import { openStores } from './stores.ts';
import { localUrl } from './urls.ts';
import { startWorkers, WorkerEnded, type WorkerReady, type WorkerTask } from './workers.ts';

/** Time that an aborted stream has to send its error before its connection is closed. */
const LAST_WORDS_MS = 2_000;

/** Stops a part of the product. */
type End = () => Promise<void> | void;

/**
 * Starts the product in the folder `root` and runs until a signal. If it cannot start, it prints the reason and exits
 * with 1.
 */
export async function start(root: string): Promise<void> {
  const ends: End[] = [];
  let stopping = false;
  const stop = async (code: number) => {
    stopping = true;
    for (const end of ends.splice(0).reverse()) await end();
    process.exit(code);
  };
  onStopSignal(() => stop(0));
  try {
    if (cluster.isWorker) await startWorker(ends);
    else await startParts(root, ends, stop);
  } catch (error) {
    if (stopping) return; // it fails because its parts are being stopped
    if (!(error instanceof WorkerEnded)) process.stderr.write(`\n${reason(error)}\n`);
    await stop(1);
  }
}

async function startParts(root: string, ends: End[], stop: (code: number) => Promise<void>): Promise<void> {
  const settings = readSettings(root);
  for (const { name, from, why } of settings.retired)
    process.stderr.write(`Warning: ${name} (${from}) is no longer a setting and is ignored: ${why}.\n`);
  const steps = new StartupProgress();
  const { stores, seeded } = await steps.run('Opening the database', async () => {
    const stores = await openStores(settings, root, {
      onWait: () => steps.note('waiting up to 15 s for the lock of a Callsmith that did not stop cleanly'),
      onBlocked: (migration) =>
        steps.note(`waiting until no query or backup uses the tables that the migration ${migration} changes`),
      onLost: () => {
        process.stderr.write(`${settings.dataDir} was taken over by another Callsmith while this one was suspended.\n`);
        void stop(1);
      },
    });
    ends.push(stores.close);
    const demo = await startDemoServer(settings);
    if (demo) ends.push(demo.close);
    const seeded = await seedTables(stores.config, demo);
    return { stores: { ...stores, config: { ...stores.config, demoUrl: demo?.seed.baseUrl } }, seeded };
  });
  const { config } = stores;
  const demo =
    seeded.demoKey === undefined ? undefined : { key: seeded.demoKey, first: seeded.firstAdmin !== undefined };
  const { port, upstreamProblems } = await steps.run('Starting the gateway', async () => {
    if (config.server.workers === 1) return serve({ type: 'task', config, demo }, ends);
    // Only one of them sends the first turns, and its replacement does not send them again.
    let first = demo?.first === true;
    const nextTask = (): WorkerTask => {
      const task: WorkerTask = { type: 'task', config, demo: demo && { ...demo, first } };
      first = false;
      return task;
    };
    const ready = await startWorkers(config.server.workers, nextTask, ends, config.drain);
    await collectGarbage();
    return ready;
  });
  ends.push(announce(settings.dataDir, localUrl(config.server.host, port)));
  process.stdout.write(banner({ config, seeded, port, databaseFolder: stores.folder, upstreamProblems }));
}

/**
 * One of the processes that share the port: the stores are open, the parent sends what to serve. When the parent exits,
 * Node ends this process immediately, because port and database are gone.
 */
async function startWorker(ends: End[]): Promise<void> {
  const taskMessage = once(process, 'message') as Promise<[WorkerTask]>;
  process.send?.({ type: 'task?' });
  const [task] = await taskMessage;
  process.send?.(await serve(task, ends));
}

/** Serves in this process, and drives the demo: the very first start shows real turns in the charts immediately. */
async function serve({ config, demo }: WorkerTask, ends: End[]): Promise<WorkerReady> {
  const app = await createApp(config, process.stdout.isTTY ? 'short' : 'json');
  const requests = followRequests(app.getHttpServer());
  ends.push(async () => {
    const { delayMs, requestsMs } = config.drain;
    app.get(Readiness, { strict: false }).drain();
    requests.endConnections();
    if (requests.size > 0) reportWaiting(requests.size, requestsMs);
    await sleep(delayMs);
    // Streams that do not end in time get an error before their connections are closed.
    const proxy = app.get(ProxyService, { strict: false });
    await Promise.all([requests.drain(requestsMs + LAST_WORDS_MS), proxy.stop(requestsMs)]);
    await app.close();
  });
  await collectGarbage();
  await app.listen(config.server.port, config.server.host);
  const { port } = app.getHttpServer().address() as { port: number };
  if (demo)
    app.get(Demo, { strict: false }).begin({ url: localUrl(config.server.host, port), key: demo.key }, demo.first);
  return { type: 'ready', port, upstreamProblems: app.get(UpstreamWatch, { strict: false }).problems() };
}

/** Tells the user who pressed Ctrl-C why the process has not ended yet. */
function reportWaiting(requests: number, ms: number): void {
  const some = requests === 1 ? '1 running request' : `${requests} running requests`;
  process.stderr.write(`Waiting up to ${ms / 1000} s for ${some} to finish. A second signal stops immediately.\n`);
}

function reason(error: unknown): string {
  if (isSetupProblem(error)) return error.message;
  const { code, stack, port } = error as NodeJS.ErrnoException & { port?: number };
  if (code === 'EADDRINUSE') return `Port ${port} is in use. Try PORT=${Number(port) + 1} npm start`;
  return `Callsmith could not start: ${stack ?? String(error)}\nThe log of the embedded database is in DATA_DIR/logs. Try npm start again; if it fails again, please report the lines above.`;
}
