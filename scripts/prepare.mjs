import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import process from 'node:process';
import { root } from './root.mjs';
import { stamp } from './stamp.mjs';
import { giveUp, run, step } from './steps.mjs';

const folders = (parent) => readdirSync(join(root, parent)).map((name) => `${parent}/${name}`);
const vite = join(root, 'node_modules/vite/bin/vite.js');
const prisma = join(root, 'node_modules/prisma/build/index.js');

const installed = () => stamp('node_modules/.callsmith-stamp', ['package-lock.json']);

/** True if the packages have to be installed first. */
export function installIsDue() {
  const { due, moved } = installed();
  return due && (moved || !installedByHand());
}

/** True if npm's own record of node_modules matches the lockfile: npm was run here by hand. */
function installedByHand() {
  const record = join(root, 'node_modules/.package-lock.json');
  if (!existsSync(record)) return false;
  const packages = (file) => JSON.parse(readFileSync(file, 'utf8')).packages;
  const there = packages(record);
  return Object.entries(packages(join(root, 'package-lock.json'))).every(
    ([place, { version, optional, link }]) =>
      place === '' ||
      link ||
      !place.startsWith('node_modules/') ||
      there[place]?.version === version ||
      (optional && !there[place]),
  );
}

/** Installs the packages unless they are installed. No install script of a package runs. */
export async function install(title, logs) {
  const stamped = installed();
  if (!installIsDue()) return step(title, async () => 'up to date');
  const started = step(`${title} (about a minute)`, async () => {
    const flags = ['ci', '--ignore-scripts', '--include=dev', '--include=optional', '--no-audit', '--no-fund'];
    await run(...npm(flags), { name: 'install', logs });
    stamped.done();
  });
  await started.catch((error) =>
    giveUp(error, 'Check that npm can reach its registry (npm ping), then run the command again.'),
  );
}

/** Generates the database client and builds `projects`, each unless its sources are unchanged. */
export async function build(title, logs, projects = Object.keys(PARTS)) {
  const work = [clientOfTables(), ...projects.map(bundle)].filter(({ stamped }) => stamped.due);
  if (work.length === 0) return step(title, async () => 'up to date');
  const started = step(title, async () => {
    for (const { name, command, cwd, stamped } of work) {
      await run(process.execPath, command, { name, logs, cwd });
      stamped.done();
    }
  });
  await started.catch((error) => giveUp(error, 'Try: npm ci, then run the command again.'));
}

function clientOfTables() {
  const generated = 'libs/data/src/generated';
  const stamped = stamp(`${generated}/.stamp`, ['prisma/schema.prisma', 'package-lock.json']);
  if (stamped.due) rmSync(join(root, generated), { recursive: true, force: true });
  return { name: 'generate', command: [prisma, 'generate'], cwd: root, stamped };
}

/** The sources of each bundle, besides its own folder. */
const PARTS = {
  gateway: [...folders('libs'), 'apps/simulator'],
  simulator: folders('libs'),
  dashboard: ['libs/contracts', 'libs/stream', 'libs/turn'],
};

function bundle(project) {
  const app = `apps/${project}`;
  const sources = [app, ...PARTS[project], 'prisma/schema.prisma', 'tsconfig.base.json', 'package-lock.json'];
  return {
    name: project,
    command: [vite, 'build'],
    cwd: join(root, app),
    stamped: stamp(`${app}/dist/.stamp`, sources),
  };
}

/** The npm that runs this script, else the one on PATH. */
function npm(args) {
  const own = process.env.npm_execpath ?? '';
  return basename(own) === 'npm-cli.js' ? [process.execPath, [own, ...args]] : ['npm', args];
}
