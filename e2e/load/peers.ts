import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { freePort, startProduct } from '../product.ts';
import type { Cell } from './cells.ts';

/** A proxy between load generator and mock. */
export interface Peer {
  readonly name: string;
  readonly port: number;
  readonly pid: number;
  readonly path: string;
  readonly key: string;
  readonly headers: readonly string[];
  /** Changes that were needed to run it here. */
  readonly adapted?: string;
  stop(): Promise<void>;
}

/** A peer that cannot be run, and why. */
export interface MissingPeer {
  readonly name: string;
  readonly why: string;
}

/** A gateway that is compared with this build at its defaults. */
export interface OtherGateway {
  readonly name: string;
  /** The folder of an earlier build; default: this one. */
  readonly root?: string;
  /** The settings of its models; default: none. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** What every peer needs. */
export interface BenchSetup {
  /** Folder for built programs and installed peers. */
  readonly cache: string;
  readonly mockPort: number;
  readonly cells: readonly Cell[];
  /** Another gateway, run as the peer of its name. */
  readonly other?: OtherGateway;
}

const here = import.meta.dirname;

/** Starts every available peer; the others are listed with the reason. */
export async function startPeers(
  ground: BenchSetup,
  wanted: readonly string[] | undefined,
): Promise<{ peers: Peer[]; absent: MissingPeer[] }> {
  const peers: Peer[] = [];
  const absent: MissingPeer[] = [];
  const { other } = ground;
  const makers: readonly (readonly [string, (ground: BenchSetup, port: number) => Promise<Peer>])[] = [
    ['direct', direct],
    ['nginx', nginx],
    ['raw', node('raw')],
    ['nest', node('nest')],
    ['baseline', node('baseline')],
    ['smallest', node('smallest')],
    ['portkey', portkey],
    ['litellm', litellm],
    ['toolify', toolify('toolify', false)],
    ['toolify-calls', toolify('toolify-calls', true)],
    ['callsmith', (ground) => callsmith(ground, { name: 'callsmith' })],
    ...(other ? [[other.name, (ground: BenchSetup) => callsmith(ground, other)] as const] : []),
  ];
  for (const [name, make] of makers) {
    if (wanted && !wanted.includes(name)) continue;
    try {
      peers.push(await make(ground, await freePort()));
    } catch (error) {
      absent.push({ name, why: (error as Error).message.split('\n')[0] ?? 'unknown' });
    }
  }
  return { peers, absent };
}

const plain = { path: '/v1/chat/completions', key: 'sk-test', headers: [] };

async function direct(ground: BenchSetup): Promise<Peer> {
  return { ...plain, name: 'direct', port: ground.mockPort, pid: 0, stop: async () => {} };
}

async function nginx(ground: BenchSetup, port: number): Promise<Peer> {
  const folder = join(ground.cache, 'nginx');
  mkdirSync(folder, { recursive: true });
  const config = join(folder, 'nginx.conf');
  const text = readFileSync(join(here, 'peers/nginx.conf'), 'utf8');
  writeFileSync(
    config,
    text.replaceAll('DIR', folder).replaceAll('UPSTREAM', String(ground.mockPort)).replaceAll('PORT', String(port)),
  );
  const program = ['/usr/sbin/nginx', '/usr/local/bin/nginx', '/opt/homebrew/bin/nginx'].find((path) =>
    existsSync(path),
  );
  if (!program) throw new Error('nginx is not installed: apt-get install nginx, or brew install nginx');
  return started('nginx', port, spawn(program, ['-c', config, '-p', folder], { stdio: 'ignore' }));
}

const node =
  (name: string) =>
  (ground: BenchSetup, port: number): Promise<Peer> =>
    started(
      name,
      port,
      spawn(process.execPath, [join(here, `peers/${name}.mjs`), String(port), String(ground.mockPort)], {
        stdio: 'ignore',
      }),
    );

const portkeyVersion = '1.15.2';

async function portkey(ground: BenchSetup, port: number): Promise<Peer> {
  const folder = join(ground.cache, `portkey-${portkeyVersion}`);
  const built = join(folder, 'node_modules/@portkey-ai/gateway/build/start-server.js');
  if (!existsSync(built)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{"private":true}\n');
    execFileSync(
      'npm',
      ['install', '--no-audit', '--no-fund', '--ignore-scripts', `@portkey-ai/gateway@${portkeyVersion}`],
      { cwd: folder, stdio: 'ignore' },
    );
    const source = readFileSync(built, 'utf8');
    writeFileSync(
      built,
      source.replace('new Response(p,e)', 'new Response(p,{status:e.status,headers:new Headers(e.headers)})'),
    );
  }
  cpSync(join(here, 'peers/loopback.cjs'), join(folder, 'loopback.cjs'));
  const child = spawn(
    process.execPath,
    ['--require', join(folder, 'loopback.cjs'), built, `--port=${port}`, '--headless'],
    { stdio: 'ignore', cwd: folder },
  );
  const peer = await started('portkey', port, child);
  return {
    ...peer,
    headers: ['x-portkey-provider: openai', `x-portkey-custom-host: http://127.0.0.1:${ground.mockPort}/v1`],
    adapted: `Portkey ${portkeyVersion}: on Node 20 every stream ends in "TypeError: immutable", so one "new Response(p,e)" gets a copy of the headers; it listens on 127.0.0.1 only; its delay of 25 ms before the first event is unchanged.`,
  };
}

const litellmVersion = '1.80.0';

async function litellm(ground: BenchSetup, port: number): Promise<Peer> {
  const folder = join(ground.cache, `litellm-${litellmVersion}`);
  const program = join(folder, 'bin/litellm');
  if (!existsSync(program)) {
    try {
      execFileSync('python3', ['-m', 'venv', folder], { stdio: 'ignore' });
      execFileSync(join(folder, 'bin/pip'), ['install', '-q', `litellm[proxy]==${litellmVersion}`], {
        stdio: 'ignore',
      });
    } catch {
      throw new Error('it needs python3 with venv, and an index of Python packages');
    }
  }
  const config = join(folder, 'config.yaml');
  writeFileSync(
    config,
    `model_list:\n  - model_name: "*"\n    litellm_params: { model: "openai/*", api_base: "http://127.0.0.1:${ground.mockPort}/v1", api_key: sk-test }\n`,
  );
  const child = spawn(
    program,
    ['--config', config, '--host', '127.0.0.1', '--port', String(port), '--telemetry', 'False'],
    { stdio: 'ignore', cwd: folder },
  );
  return {
    ...(await started('litellm', port, child)),
    adapted: `LiteLLM ${litellmVersion}: one worker, every model passed to the mock; only in the cells whose load it can handle.`,
  };
}

/** toolify-rs, passing through or with its function calling; it must be built by whoever wants it measured. */
const toolify =
  (name: string, functionCalling: boolean) =>
  async (ground: BenchSetup, port: number): Promise<Peer> => {
    const program = process.env.TOOLIFY_RS;
    if (!program) throw new Error('TOOLIFY_RS is not set: build JasonEX/toolify-rs with cargo and name its binary');
    const folder = join(ground.cache, name);
    mkdirSync(folder, { recursive: true });
    const config = {
      server: { host: '127.0.0.1', port },
      upstream_services: [
        {
          name: 'mock',
          provider: 'openai',
          base_url: `http://127.0.0.1:${ground.mockPort}/v1`,
          api_key: plain.key,
          is_default: true,
          models: [...new Set(ground.cells.map(({ model }) => model))],
        },
      ],
      client_authentication: { allowed_keys: [plain.key] },
      features: { enable_function_calling: functionCalling, log_level: 'ERROR' },
    };
    // It reads YAML, of which JSON is a subset.
    writeFileSync(join(folder, 'config.yaml'), JSON.stringify(config, null, 2));
    return {
      ...(await started(name, port, spawn(resolve(program), [], { stdio: 'ignore', cwd: folder }))),
      adapted: `${name}: toolify-rs with its function calling ${functionCalling ? 'on' : 'off'}, other settings at their defaults, log level error.`,
    };
  };

async function callsmith(ground: BenchSetup, { name, root, settings }: OtherGateway): Promise<Peer> {
  const upstreamUrl = `http://127.0.0.1:${ground.mockPort}`;
  const product = await startProduct({ upstreamUrl, ...(root !== undefined && { root }) });
  for (const { model, strategy } of ground.cells) {
    const change = { ...settings, ...(strategy && { strategy, dialect: 'hermes' }) };
    if (Object.keys(change).length > 0) await product.changeModel(model, { ...change, reason: 'benchmark' });
  }
  return {
    ...plain,
    name,
    port: Number(new URL(product.url).port),
    pid: product.pid,
    key: product.apiKey,
    stop: () => product.stop(),
  };
}

async function started(name: string, port: number, child: ChildProcess): Promise<Peer> {
  const orphaned = () => child.kill('SIGTERM');
  process.once('exit', orphaned);
  child.once('exit', () => process.off('exit', orphaned));
  await listening(name, port, child);
  return { ...plain, name, port, pid: child.pid ?? 0, stop: () => ended(child) };
}

async function listening(name: string, port: number, child: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 900; tries++) {
    if (child.exitCode !== null) throw new Error(`${name} ended at once with ${child.exitCode}`);
    if (await accepts(port)) return;
    await new Promise((wait) => setTimeout(wait, 50));
  }
  child.kill('SIGKILL');
  throw new Error(`${name} does not listen on ${port}`);
}

const accepts = (port: number): Promise<boolean> =>
  new Promise((done) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      done(true);
    });
    socket.once('error', () => done(false));
  });

function ended(child: ChildProcess): Promise<void> {
  return new Promise((done) => {
    child.once('exit', () => done());
    if (!child.kill('SIGTERM')) done();
    setTimeout(() => child.kill('SIGKILL'), 3000).unref();
  });
}

/** CPU time of a process and its children in microseconds, from the kernel's scheduler accounting. The database's is not among it. */
export function cpuMicros(pid: number): number {
  return family(pid).reduce((sum, one) => sum + tasksMicros(one), 0);
}

/** Resident memory of a process and its children, without the database, in KB. */
export function rssKb(pid: number): number {
  return family(pid).reduce(
    (sum, one) => sum + Number(/VmRSS:\s+(\d+)/.exec(read(`/proc/${one}/status`))?.[1] ?? 0),
    0,
  );
}

/** The children of a process that are still running. */
export const childrenOf = (pid: number): number[] =>
  read(`/proc/${pid}/task/${pid}/children`).trim().split(' ').filter(Boolean).map(Number);

function family(pid: number): number[] {
  return [
    pid,
    ...childrenOf(pid).flatMap((child) =>
      /postgres|^sh$/.test(read(`/proc/${child}/comm`).trim()) ? [] : family(child),
    ),
  ];
}

function tasksMicros(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/task`).reduce(
      (sum, task) => sum + Number(read(`/proc/${pid}/task/${task}/schedstat`).split(' ')[0] ?? 0) / 1000,
      0,
    );
  } catch {
    return 0;
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
