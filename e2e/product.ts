import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** A separate running product: the built gateway with an embedded database in a temporary folder. */
export interface Product {
  /** e.g. `http://127.0.0.1:41234`. */
  readonly url: string;
  readonly port: number;
  /** The gateway's process; the database is its child. */
  readonly pid: number;
  /** Gives access to every model. */
  readonly apiKey: string;
  readonly adminKey: string;
  readonly admin: { readonly email: string; readonly password: string };
  /** Everything that it has printed so far. */
  printed(): string;
  /** Changes settings of a model by its public name, as an admin would. Throws if refused. */
  changeModel(name: string, change: Record<string, unknown>): Promise<void>;
  /** Stops it as Ctrl-C does and removes its folder. Throws if it does not exit with 0. */
  stop(): Promise<void>;
  /** Kills it, and removes its folder. */
  kill(): Promise<void>;
}

const ownRoot = resolve(import.meta.dirname, '..');
const startMs = 90_000;

/** Starts the built gateway on a free port and waits until it is ready. `npm run build` must have run. */
export async function startProduct(
  options: {
    readonly upstreamUrl?: string;
    readonly env?: Record<string, string>;
    /** Default: one that is free. */
    readonly port?: number;
    /** Node's own arguments. */
    readonly nodeArgs?: readonly string[];
    /** Another checkout, whose build is started as its own `npm start` does; default: this one. */
    readonly root?: string;
  } = {},
): Promise<Product> {
  const port = options.port ?? (await freePort());
  const dataDir = mkdtempSync(join(tmpdir(), 'callsmith-product-'));
  chmodSync(dataDir, 0o755); // as root, the database server runs under another account
  const admin = { email: 'admin@example.com', password: 'correct horse battery' };
  const apiKey = 'sk-product-test-key-0123456789';
  const adminKey = 'admin-key-of-the-tests';
  const root = options.root ?? ownRoot;
  const { nodeArgs, script } = startOf(root);
  const child = spawn(process.execPath, [...nodeArgs, ...(options.nodeArgs ?? []), join(root, script)], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: String(port),
      DATA_DIR: dataDir,
      API_KEY: apiKey,
      ADMIN_KEY: adminKey,
      ADMIN_EMAIL: admin.email,
      ADMIN_PASSWORD: admin.password,
      DEMO: 'off',
      ...(options.upstreamUrl !== undefined && { UPSTREAM_URL: options.upstreamUrl }),
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const orphaned = () => child.kill('SIGTERM');
  process.once('exit', orphaned);
  const printed: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => printed.push(text));
  const end = async (signal: 'SIGTERM' | 'SIGKILL') => {
    const code = await ended(child, signal);
    process.off('exit', orphaned);
    rmSync(dataDir, { recursive: true, force: true });
    return code;
  };
  const url = `http://127.0.0.1:${port}`;
  await ready(url, child, printed);
  return {
    url,
    port,
    pid: child.pid ?? 0,
    apiKey,
    adminKey,
    admin,
    printed: () => printed.join(''),
    async changeModel(name, change) {
      const reply = await fetch(`${url}/api/models/${encodeURIComponent(name)}`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json', 'x-admin-key': adminKey },
        body: JSON.stringify(change),
      });
      if (!reply.ok) throw new Error(`changing ${name} was refused: ${reply.status} ${await reply.text()}`);
    },
    async stop() {
      const code = await end('SIGTERM');
      if (code !== 0) throw new Error(`the gateway exited with ${code}:\n${printed.join('').slice(-2000)}`);
    },
    async kill() {
      await end('SIGKILL');
    },
  };
}

/** The last command of `npm start`: Node's arguments and the script. */
function startOf(root: string): { nodeArgs: string[]; script: string } {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: { start: string } };
  const words = scripts.start.slice(scripts.start.lastIndexOf('node ')).split(' ').slice(1);
  return { nodeArgs: words.filter((word) => word.startsWith('--')), script: words.at(-1) ?? '' };
}

async function ready(url: string, child: ChildProcess, printed: readonly string[]): Promise<void> {
  for (const start = Date.now(); Date.now() - start < startMs; ) {
    if (child.exitCode !== null)
      throw new Error(`the gateway exited with ${child.exitCode}:\n${printed.join('').slice(-2000)}`);
    const reply = await fetch(`${url}/readyz`).catch(() => undefined);
    if (reply?.ok) return;
    await new Promise((wait) => setTimeout(wait, 100));
  }
  child.kill('SIGKILL');
  throw new Error(`the gateway was not ready within ${startMs / 1000} s:\n${printed.join('').slice(-2000)}`);
}

function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  return new Promise((done) => {
    if (child.exitCode !== null) done(child.exitCode);
    child.once('exit', (code) => done(code));
    child.kill(signal);
  });
}

/** A free port on 127.0.0.1. */
export const freePort = (): Promise<number> =>
  new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => done(port));
    });
  });
