import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Job, type Plan, recipes } from './recipes.ts';
import type { RunLeftovers, Scenario } from './scenarios.ts';

/** The server that a client uses. */
export interface Endpoint {
  /** Ends in /v1. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly model: string;
}

/** How one run ended. */
export interface RunResult {
  readonly ok: boolean;
  /** The reason in one sentence; empty if it worked. */
  readonly problem: string;
  readonly seconds: number;
  readonly printed: string;
}

const killGraceMs = 3_000;

/** Runs a client on one scenario in separate folders, which are deleted afterwards. */
export async function runClient(
  about: {
    readonly client: string;
    readonly install: string;
    readonly scenario: Scenario;
    readonly endpoint: Endpoint;
    readonly timeoutSeconds: number;
  },
  firstRequest: () => Promise<void>,
): Promise<RunResult> {
  const root = mkdtempSync(join(tmpdir(), 'callsmith-client-'));
  const started = Date.now();
  const job: Job = {
    install: about.install,
    work: join(root, 'work'),
    home: join(root, 'home'),
    ...about.endpoint,
    prompt: about.scenario.prompt,
    timeoutSeconds: about.timeoutSeconds,
    context: 131_072,
    maxTokens: about.scenario.maxTokens ?? 8_192,
  };
  mkdirSync(job.work);
  mkdirSync(job.home);
  try {
    about.scenario.prepare?.(job.work);
    const recipe = recipes[about.client];
    if (recipe === undefined) throw new Error(`no recipe for ${about.client}`);
    const plan = recipe(job);
    if (about.scenario.interruptAfterMs !== undefined)
      await follow(plan, job, { after: about.scenario.interruptAfterMs, firstRequest });
    const left = await follow(plan, job);
    const wrong = about.scenario.check(left);
    return {
      ok: wrong === undefined,
      problem: wrong ?? '',
      seconds: (Date.now() - started) / 1000,
      printed: left.printed,
    };
  } finally {
    endLeftovers(job.home);
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  }
}

interface Interrupt {
  readonly after: number;
  readonly firstRequest: () => Promise<void>;
}

async function follow(plan: Plan, job: Job, interrupt?: Interrupt): Promise<RunLeftovers> {
  for (const [path, content] of Object.entries(plan.files)) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
  let left: RunLeftovers = { work: job.work, printed: '', exitCode: null };
  for (const [at, command] of plan.commands.entries()) {
    const last = at === plan.commands.length - 1;
    left = await runCommand(command, plan, job, last ? interrupt : undefined);
  }
  return left;
}

/** Runs one command in a separate process group, which is always killed at the end. */
function runCommand(
  command: readonly string[],
  plan: Plan,
  job: Job,
  interrupt: Interrupt | undefined,
): Promise<RunLeftovers> {
  const [program = '', ...args] = command;
  const child = spawn(program, args, {
    cwd: job.work,
    env: environment(plan, job),
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const printed: string[] = [];
  child.stdout.setEncoding('utf8').on('data', (text: string) => printed.push(text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => printed.push(text));
  const signal = (name: NodeJS.Signals) => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, name);
    } catch {
      // The group has ended.
    }
  };
  const orphaned = () => signal('SIGKILL');
  process.once('exit', orphaned);
  const timers = [
    setTimeout(() => signal('SIGTERM'), job.timeoutSeconds * 1000),
    setTimeout(() => signal('SIGKILL'), job.timeoutSeconds * 1000 + killGraceMs),
  ];
  if (interrupt) {
    void interrupt.firstRequest().then(() => {
      timers.push(
        setTimeout(() => signal('SIGINT'), interrupt.after),
        setTimeout(() => signal('SIGKILL'), interrupt.after + killGraceMs),
      );
    });
  }
  return new Promise((done) => {
    const finish = (exitCode: number | null) => {
      for (const timer of timers) clearTimeout(timer);
      process.off('exit', orphaned);
      signal('SIGKILL');
      done({ work: job.work, printed: printed.join(''), exitCode });
    };
    child.once('error', (error) => {
      printed.push(`\n${error.message}\n`);
      finish(null);
    });
    child.once('close', finish);
    // A client's own left-over children may keep its output open.
    child.once('exit', (code) => timers.push(setTimeout(() => finish(code), killGraceMs)));
  });
}

/** Kills what a client left running outside its process group: every process with the run's private home. */
function endLeftovers(home: string): void {
  if (process.platform !== 'linux') return;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      if (readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`HOME=${home}\0`)) process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It has ended, or belongs to another user.
    }
  }
}

/** A private home, loopback only, and no self-update. */
function environment(plan: Plan, job: Job): NodeJS.ProcessEnv {
  const closed = 'http://127.0.0.1:9';
  const open = '127.0.0.1,localhost,::1';
  return {
    PATH: process.env.PATH,
    LANG: 'C.UTF-8',
    HOME: job.home,
    XDG_CONFIG_HOME: join(job.home, '.config'),
    XDG_DATA_HOME: join(job.home, '.local/share'),
    XDG_CACHE_HOME: join(job.home, '.cache'),
    XDG_STATE_HOME: join(job.home, '.local/state'),
    TMPDIR: job.home,
    NO_COLOR: '1',
    CI: '1',
    TERM: 'dumb',
    DO_NOT_TRACK: '1',
    npm_config_prefix: join(job.home, 'npm-prefix'),
    npm_config_offline: 'true',
    HTTPS_PROXY: closed,
    NO_PROXY: open,
    no_proxy: open,
    ...plan.env,
  };
}
