import { spawn } from 'node:child_process';
import { createWriteStream, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import util from 'node:util';
import { root } from './root.mjs';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** A command failed; its output is in `log`. */
export class StepFailed extends Error {
  constructor(command, log) {
    super(`${command} failed`);
    this.log = log;
  }
}

/** Runs `work` and prints `title` with the time it took. Prints "failed" and rethrows if it fails. */
export async function step(title, work) {
  const began = Date.now();
  const live = process.stdout.isTTY === true;
  const seconds = () => (Date.now() - began) / 1000;
  process.stdout.write(`${title} … `);
  const timer = live
    ? setInterval(() => process.stdout.write(`\r${title} … ${Math.round(seconds())} s `), 1000)
    : undefined;
  const finish = (words) => {
    clearInterval(timer);
    process.stdout.write(live ? `\r${title} … ${words}\x1b[K\n` : `${words}\n`);
  };
  try {
    const skipped = await work();
    finish(skipped || (seconds() < 10 ? `${seconds().toFixed(1)} s` : `${Math.round(seconds())} s`));
  } catch (error) {
    finish('failed');
    throw error;
  }
}

/** Prints the last 20 lines of a failed step, the path of its log and one thing to try, then exits with 1. */
export function giveUp(error, advice) {
  if (!(error instanceof StepFailed)) throw error;
  const lines = util.stripVTControlCharacters(readFileSync(error.log, 'utf8')).trimEnd().split('\n').slice(-20);
  process.stderr.write(
    `\n${lines.map((line) => `  ${line}`).join('\n')}\n\n${error.message}. Full output: ${error.log}\n${advice}\n`,
  );
  process.exit(1);
}

/** Runs a command in the folder `cwd` with its output in the log `name`. Rejects with `StepFailed`. */
export function run(command, args, { name, logs, cwd = root, env = {} }) {
  mkdirSync(logs, { recursive: true });
  const log = join(logs, `${name}.log`);
  const output = createWriteStream(log, { mode: 0o600 });
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const letGo = endWithUs(child);
    child.stdout.pipe(output, { end: false });
    child.stderr.pipe(output, { end: false });
    child.once('error', (error) => output.write(`${error.message}\n`));
    child.once('close', (code) => {
      letGo();
      output.end(() => (code === 0 ? resolve() : reject(new StepFailed(name, log))));
    });
  });
}

/**
 * Ends `child` when this process is asked to end. `kill` of npm ends only the shell between npm and this process and
 * sends no signal here: a change of the parent process shows it. npm itself survives a SIGTERM, so only SIGKILL works.
 */
function endWithUs(child) {
  const parent = process.ppid;
  const end = () => {
    child.kill('SIGKILL');
    process.exit(1);
  };
  const timer = setInterval(() => process.ppid !== parent && end(), 300);
  for (const signal of SIGNALS) process.on(signal, end);
  return () => {
    clearInterval(timer);
    for (const signal of SIGNALS) process.off(signal, end);
  };
}
