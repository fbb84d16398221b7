import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startSimulator } from '@callsmith/simulator';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { freePort } from './product.ts';

const root = resolve(import.meta.dirname, '..');
let dataDir: string;
let port: number;
let running: ChildProcess | undefined;
let printed: string;

beforeAll(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'start-'));
  chmodSync(dataDir, 0o755);
});

beforeEach(async () => {
  port = await freePort();
  printed = '';
});

afterEach(async () => {
  if (running?.exitCode === null && running.signalCode === null) {
    running.kill('SIGTERM');
    await once(running, 'close');
  }
  running = undefined;
});

afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

const settings = (env: Record<string, string> = {}) => ({
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  PORT: String(port),
  DATA_DIR: dataDir,
  DEMO: 'off',
  ...env,
});

/** `npm start`, in a separate process group as in a terminal. */
function npmStart(env: Record<string, string> = {}): ChildProcess {
  running = spawn('npm', ['start'], {
    cwd: root,
    env: settings(env),
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [running.stdout, running.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  return running;
}

async function ready(): Promise<void> {
  for (let tries = 0; tries < 900; tries++) {
    if (running?.exitCode !== null) throw new Error(printed);
    const reply = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
    if (reply?.ok && printed.includes('Ctrl-C')) return;
    await sleep(100);
  }
  throw new Error(`not ready:\n${printed}`);
}

async function ended(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.exitCode;
}

const gateway = () => (JSON.parse(readFileSync(join(dataDir, 'instance.json'), 'utf8')) as { pid: number }).pid;
const postmaster = () => Number(readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8').split('\n', 1)[0]);

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function signInLink(): string {
  const env = { ...process.env, DATA_DIR: dataDir };
  return spawnSync('npm', ['run', '--silent', 'callsmith', '--', 'sign-in-link'], { env, encoding: 'utf8' }).stdout;
}

const groupOf = (child: ChildProcess) => -(child.pid ?? 0);

describe('npm start', { timeout: 120_000 }, () => {
  it('prints the first password once, keeps secrets readable to their owner only, and keeps all data for the second start', async () => {
    npmStart({ DEMO: 'on' });
    await ready();
    expect(printed).toMatch(/Sign in +admin@callsmith\.local, password (\w{4}-){4}\w{4}\n/);
    // Output without a terminal may be written to a log: the link is created on demand.
    expect(printed).not.toContain('/link#');
    const token = new RegExp(`http://127\\.0\\.0\\.1:${port}/link#(\\S{20,})\n`).exec(signInLink())?.[1];
    const signIn = () =>
      fetch(`http://127.0.0.1:${port}/api/links/use`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ token }),
      });
    expect([(await signIn()).status, (await signIn()).status]).toEqual([200, 404]);
    const key = readFileSync(join(dataDir, 'demo-key'), 'utf8').trim();
    expect(printed).toContain(key);
    for (const file of ['demo-key', 'secret-key', 'postgres-password', 'instance.json'])
      expect(statSync(join(dataDir, file)).mode & 0o777, file).toBe(0o600);
    const curl = /Try it +(curl .*)\n/.exec(printed)?.[1] ?? '';
    const answer = JSON.parse(spawnSync('sh', ['-c', curl], { encoding: 'utf8' }).stdout) as Answer;
    expect(answer.choices[0]?.message.tool_calls?.[0]?.function).toEqual({
      name: 'read_file',
      arguments: '{"path":"README.md"}',
    });
    running?.kill('SIGTERM');
    if (running) await ended(running);
    printed = '';
    npmStart({ DEMO: 'on' });
    await ready();
    expect(printed).not.toContain('Sign in');
    expect(printed).toContain(key);
  });

  it.each([
    ['SIGTERM to npm alone', (child: ChildProcess) => child.kill('SIGTERM')],
    ['SIGINT to npm alone', (child: ChildProcess) => child.kill('SIGINT')],
    ['Ctrl-C in its terminal', (child: ChildProcess) => process.kill(groupOf(child), 'SIGINT')],
    ['SIGTERM to the gateway', () => process.kill(gateway(), 'SIGTERM')],
  ])('D-32 ends with exit code 0 and leaves no process: %s', async (_, signal) => {
    const child = npmStart();
    await ready();
    const pids = [gateway(), postmaster()];
    const began = performance.now();
    signal(child);
    expect(await ended(child)).toBe(0);
    expect(performance.now() - began).toBeLessThan(20_000);
    expect(pids.filter(alive)).toEqual([]);
    expect(readdirSync(dataDir)).not.toContain('instance.json');
  });

  it('says what already uses the port: this product, or another program', async () => {
    npmStart();
    await ready();
    const again = spawnSync('npm', ['start'], {
      cwd: root,
      env: settings({ PORT: String(port + 1) }),
      encoding: 'utf8',
    });
    expect(again.status).toBe(1);
    expect(again.stderr).toContain(`Callsmith is already running: http://127.0.0.1:${port} (pid ${gateway()})`);
    const other = spawnSync('npm', ['start'], {
      cwd: root,
      env: settings({ DATA_DIR: `${dataDir}/other` }),
      encoding: 'utf8',
    });
    expect(other.status).toBe(1);
    expect(other.stderr).toMatch(new RegExp(`Port ${port} is in use\\. Try PORT=\\d+ npm start`));
  });

  it('starts again after kill -9 of everything', async () => {
    const child = npmStart();
    await ready();
    const server = postmaster();
    process.kill(groupOf(child), 'SIGKILL');
    process.kill(server, 'SIGKILL');
    await ended(child);
    printed = '';
    npmStart();
    await ready();
    expect(printed).not.toContain('Sign in');
  });

  it('ends a running stream before it ends', async () => {
    const simulator = await startSimulator({ models: [{ id: 'slow', as: 'sim-native@delay=40' }] });
    const apiKey = 'sk-start-test-key-0123456789';
    const child = npmStart({ UPSTREAM_URL: simulator.url, API_KEY: apiKey });
    await ready();
    const reply = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'slow',
        stream: true,
        messages: [{ role: 'user', content: 'Tell me about the sea' }],
      }),
    });
    const reader = reply.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = (await reader?.read())?.value ?? '';
    child.kill('SIGTERM');
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) text += part.value;
    expect(text).toContain('data: [DONE]');
    expect(await ended(child)).toBe(0);
    await simulator.close();
  });

  it('D-42 a stop is announced to load balancers first, then waits for running requests as long as configured, then ends them with an error', async () => {
    const simulator = await startSimulator({ models: [{ id: 'slow', as: 'sim-native@delay=60000' }] });
    const apiKey = 'sk-start-test-key-0123456789';
    const child = npmStart({
      UPSTREAM_URL: simulator.url,
      API_KEY: apiKey,
      DRAIN_DELAY_SECONDS: '2',
      DRAIN_SECONDS: '2',
    });
    await ready();
    const ask = () =>
      fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'slow', stream: true, messages: [{ role: 'user', content: 'Hello' }] }),
      });
    const running = (await ask()).text();
    const began = performance.now();
    process.kill(gateway(), 'SIGTERM');
    const readyz = async () => (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined))?.status;
    await expect.poll(readyz, { timeout: 1_500 }).toBe(503);
    expect(await running).toContain('"shutting_down"');
    expect(await ended(child)).toBe(0);
    expect(performance.now() - began).toBeGreaterThan(3_500);
    expect(printed).toContain('Waiting up to 2 s for 1 running request to finish.');
    await simulator.close();
  });

  it('reports wrong settings, in under a second', () => {
    const began = performance.now();
    const child = spawnSync(process.execPath, ['scripts/start.mjs'], {
      cwd: root,
      env: settings({ UPSTREAM_URI: 'http://gpu', ADMIN_KEY: 'short' }),
      encoding: 'utf8',
    });
    expect(child.status).toBe(1);
    expect(child.stderr).toBe(
      [
        '2 settings are invalid:',
        '  ADMIN_KEY     "••••"  environment  must have at least 16 characters',
        '  UPSTREAM_URI          environment  is not a setting: did you mean UPSTREAM_URL?',
        'All settings: .env.example\n',
      ].join('\n'),
    );
    expect(performance.now() - began).toBeLessThan(5_000); // a second, on an idle machine
  });

  it('does not wait for a model server that does not answer, and says so', async () => {
    const deaf = createServer(() => {}).listen(0, '127.0.0.1');
    await once(deaf, 'listening');
    const { port: taken } = deaf.address() as { port: number };
    deaf.close();
    npmStart({ UPSTREAM_URL: `http://127.0.0.1:${taken}` });
    await ready();
    expect(printed).toContain(`http://127.0.0.1:${taken}: connection refused, retrying every 10 s`);
  });
});

interface Answer {
  readonly choices: { readonly message: { readonly tool_calls?: { readonly function: object }[] } }[];
}
