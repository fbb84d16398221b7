import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../product.ts';
import { childrenOf, rssKb } from './peers.ts';

/** The start of the built product: seconds from `npm start` until `/readyz` is OK, and its memory then. */
export interface StartFigures {
  /** With a new database. */
  readonly firstSeconds: number;
  /** With the database of the start before. */
  readonly againSeconds: number;
  /** Resident memory of the gateway's process, 5 s after the second start, idle; in MB, without the database. */
  readonly restMb: number;
}

const startMs = 90_000;

/** Starts the product twice as a user does, without its demo model. Throws if it does not become ready. */
export async function startFigures(root: string): Promise<StartFigures> {
  const dataDir = mkdtempSync(join(tmpdir(), 'callsmith-start-'));
  chmodSync(dataDir, 0o755); // as root, the database server runs under another account
  try {
    const first = await started(root, dataDir);
    await first.stop();
    const again = await started(root, dataDir);
    await new Promise((wait) => setTimeout(wait, 5_000));
    // npm's shell has become the gateway; npm itself is not counted.
    const restMb = childrenOf(again.pid).reduce((sum, pid) => sum + rssKb(pid), 0) / 1024;
    await again.stop();
    return { firstSeconds: first.seconds, againSeconds: again.seconds, restMb };
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function started(root: string, dataDir: string) {
  const port = await freePort();
  const begin = performance.now();
  const child = spawn('npm', ['start'], {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: String(port), DATA_DIR: dataDir, DEMO: 'off' },
    stdio: 'ignore',
  });
  const ended = new Promise<void>((done) => child.once('exit', () => done()));
  const orphaned = () => child.kill('SIGTERM');
  process.once('exit', orphaned);
  for (let isReady = false; !isReady; ) {
    if (child.exitCode !== null || performance.now() - begin > startMs) {
      orphaned();
      throw new Error(`npm start was not ready within ${startMs / 1000} s, or exited`);
    }
    await new Promise((wait) => setTimeout(wait, 20));
    isReady = await fetch(`http://127.0.0.1:${port}/readyz`).then(
      (reply) => reply.ok,
      () => false,
    );
  }
  return {
    seconds: (performance.now() - begin) / 1000,
    pid: child.pid ?? 0,
    async stop() {
      child.kill('SIGTERM');
      await ended;
      process.off('exit', orphaned);
    },
  };
}

/** The metrics beside their limits, as a Markdown table. */
export function startTable({ firstSeconds, againSeconds, restMb }: StartFigures): string {
  return [
    '| start and idle | measured | limit | goal |',
    '|---|---|---|---|',
    `| \`npm start\`, built, until ready | ${againSeconds.toFixed(1)} s | ≤ 4 s | ≤ 3 s |`,
    `| first start, with a new database | ${firstSeconds.toFixed(1)} s | | |`,
    `| idle memory | ${restMb.toFixed(0)} MB | ≤ 230 MB | ≤ 200 MB |`,
  ].join('\n');
}
