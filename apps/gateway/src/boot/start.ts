import { readSettings, WrongSettings } from '@callsmith/config';
import { type Seeded, UnusableDatabase, UpstreamWatch } from '@callsmith/data';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createApp } from '../app.ts';
import { Demo } from '../demo/demo.ts';
import { ProxyService } from '../proxy/proxy.service.ts';
import { banner } from './banner.ts';
import { startDemoServer } from './demo-server.ts';
import { followRequests } from './drain.ts';
import { fillTables } from './fill.ts';
import { announce } from './instance.ts';
import { onStopSignal } from './signals.ts';
import { Steps } from './steps.ts';
import { openStores, type Stores } from './stores.ts';
import { localUrl } from './urls.ts';

/** How long running streams may go on after the signal to stop: shorter than the drain waits. */
const STREAMS_MS = 13_000;

/** Ends a part of the product that was started. */
type End = () => Promise<void> | void;

/** Starts the product in the folder `root`; it stays until a signal comes. Where it cannot start, says why and exits 1. */
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
    await startParts(root, ends);
  } catch (error) {
    if (stopping) return; // it fails because its parts are being taken away
    process.stderr.write(`\n${reason(error)}\n`);
    await stop(1);
  }
}

async function startParts(root: string, ends: End[]): Promise<void> {
  const settings = readSettings(root);
  const steps = new Steps();
  const { stores, seeded } = await steps.run('Opening the database', async () => {
    const stores = await openStores(settings, root);
    ends.push(stores.close);
    const demo = await startDemoServer(settings);
    if (demo) ends.push(demo.close);
    const seeded = await fillTables(stores.config, demo);
    return { stores: { ...stores, config: { ...stores.config, demoUrl: demo?.seed.baseUrl } }, seeded };
  });
  const app = await steps.run('Starting the gateway', () => serve(stores, ends));
  const { port } = app.getHttpServer().address() as { port: number };
  const url = localUrl(settings.server.host, port);
  ends.push(announce(settings.dataDir, url));
  const upstreamProblems = app.get(UpstreamWatch, { strict: false }).problems();
  process.stdout.write(
    banner({ config: stores.config, seeded, port, databaseFolder: stores.folder, upstreamProblems }),
  );
  beginDemo(app, seeded, url);
}

async function serve({ config }: Stores, ends: End[]): Promise<NestFastifyApplication> {
  const app = await createApp(config, process.stdout.isTTY ? 'short' : 'json');
  const requests = followRequests(app.getHttpServer());
  ends.push(async () => {
    // Streams that do not end in time are told so before their connections are cut.
    await Promise.all([requests.drain(), app.get(ProxyService, { strict: false }).stop(STREAMS_MS)]);
    await app.close();
  });
  await app.listen(config.server.port, config.server.host);
  return app;
}

/** The very first start shows true turns in the charts at once. */
function beginDemo(app: NestFastifyApplication, { demoKey, firstAdmin }: Seeded, url: string): void {
  if (demoKey !== undefined) app.get(Demo, { strict: false }).begin({ url, key: demoKey }, firstAdmin !== undefined);
}

function reason(error: unknown): string {
  if (error instanceof WrongSettings || error instanceof UnusableDatabase) return error.message;
  const { code, message, stack, port } = error as NodeJS.ErrnoException & { port?: number };
  if (code === 'EADDRINUSE') return `Port ${port} is in use. Try PORT=${Number(port) + 1} npm start`;
  if (code === 'ECONNREFUSED' || code === 'ENOTFOUND')
    return `the database of DATABASE_URL does not answer (${message || code})`;
  return `Callsmith could not start: ${stack ?? String(error)}\nThe embedded database's log lies in DATA_DIR/logs. Try: npm start again; if it fails again, tell us the lines above.`;
}
