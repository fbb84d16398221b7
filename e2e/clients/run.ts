// Real clients on the real gateway in front of the simulator: `npm run test:clients [-- NAME… --quick --all --weak --write --clean]`.
import { execFileSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Simulator, startSimulator } from '@callsmith/simulator';
import { type Product, startProduct } from '../product.ts';
import { type ClientRow, clients, install } from './install.ts';
import { differences, type Missing, report, type Shown, writeInto } from './report.ts';
import { type RunResult, runClient } from './run-client.ts';
import { scenarios } from './scenarios.ts';
import { type Cell, modelIdFor, models, schedule, weakModels } from './schedule.ts';

const root = resolve(import.meta.dirname, '../..');
const cache = process.env.CALLSMITH_CLIENT_CACHE ?? join(root, '.cache/clients');
const timeoutSeconds = 60;
const atOnce = 2;
const quickClients = ['cline', 'opencode', 'claude-code', 'openai-node', 'anthropic-python'];
const quickModels = ['sim-native', 'sim-leaky', 'sim-refuses-tools', 'sim-hermes'];

const { values: flags, positionals: names } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
    weak: { type: 'boolean', default: false },
    clean: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    'no-direct': { type: 'boolean', default: false },
    model: { type: 'string', multiple: true },
    scenario: { type: 'string', multiple: true },
    verbose: { type: 'boolean', default: false },
  },
});

const print = (text: string) => process.stdout.write(`${text}\n`);

async function main(): Promise<number> {
  const chosen = pickClients();
  const { installed, missing } = await installAll(chosen);
  if (installed.size === 0) {
    print('No client could be installed: nothing was shown.');
    return 1;
  }
  const cells = cellsOf([...installed.keys()]);
  const simulator = await startSimulator({ models: [...new Set(cells.map(modelIdFor))] });
  const product = await startProduct({ upstreamUrl: simulator.url });
  try {
    const shown = await runAll(cells, installed, simulator, product);
    return close(shown, missing);
  } finally {
    await product.stop();
    await simulator.close();
  }
}

function pickClients(): readonly ClientRow[] {
  const wanted = names.length > 0 ? names : flags.quick ? quickClients : clients.map(({ name }) => name);
  return wanted.map((name) => {
    const row = clients.find((client) => client.name === name);
    if (!row) {
      print(`No client is called ${name}. There are: ${clients.map((client) => client.name).join(', ')}.`);
      process.exit(2);
    }
    return row;
  });
}

async function installAll(
  chosen: readonly ClientRow[],
): Promise<{ installed: Map<ClientRow, string>; missing: Missing[] }> {
  const installed = new Map<ClientRow, string>();
  const missing: Missing[] = [];
  for (const client of chosen) {
    process.stdout.write(`Installing ${client.title} … `);
    const got = await install(client, cache, join(import.meta.dirname, 'agents'));
    if ('folder' in got) installed.set(client, got.folder);
    else missing.push({ title: client.title, problem: got.missing });
    print('folder' in got ? 'there' : `not to be had: ${got.missing}`);
  }
  print(`Clients are kept in ${cache} (${sizeOf(cache)}); npm run test:clients -- --clean removes them.`);
  return { installed, missing };
}

const sizeOf = (folder: string): string =>
  existsSync(folder) ? (execFileSync('du', ['-sh', folder], { encoding: 'utf8' }).split('\t')[0] ?? '?') : 'empty';

function cellsOf(chosen: readonly ClientRow[]): Cell[] {
  if (flags.weak) return schedule(chosen, weakModels, flags.all);
  const wanted = flags.model ?? (flags.quick || names.length > 0 ? quickModels : undefined);
  const chosenModels = wanted ? models.filter(({ id }) => wanted.includes(id)) : models;
  const picked = flags.scenario;
  if (!picked) return schedule(chosen, chosenModels, flags.all);
  return schedule(chosen, chosenModels, true).filter(({ scenario }) => picked.includes(scenario.name));
}

async function runAll(
  cells: readonly Cell[],
  installed: ReadonlyMap<ClientRow, string>,
  simulator: Simulator,
  product: Product,
): Promise<Shown[]> {
  printSquare(cells);
  const shown: Shown[] = [];
  const waiting = [...cells.entries()];
  const worker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [at, cell] = next;
      const folder = installed.get(cell.client) ?? '';
      const direct = directIs(cell)
        ? await runOn(cell, folder, { baseUrl: `${simulator.url}/v1`, apiKey: 'sk-simulator' }, simulator)
        : 'na';
      const through = await runOn(cell, folder, { baseUrl: `${product.url}/v1`, apiKey: product.apiKey }, simulator);
      shown.push({ ...cell, direct, through });
      print(
        `${at + 1}/${cells.length} ${cell.client.name} × ${cell.model.id} × ${cell.scenario.name}: direct ${word(direct)}, through Callsmith ${word(through)}`,
      );
      if (flags.verbose && !through.ok) print(through.printed.slice(-4000));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return shown;
}

/** The simulator speaks chat completions only; a client of another API cannot be run on it directly. */
const directIs = ({ client }: Cell): boolean => client.wire === 'chat' && !flags['no-direct'];

const word = (result: RunResult | 'na'): string =>
  result === 'na'
    ? 'n/a'
    : result.ok
      ? `ok (${result.seconds.toFixed(0)} s)`
      : `FAILED, ${result.problem} (${result.seconds.toFixed(0)} s)`;

function runOn(
  cell: Cell,
  folder: string,
  at: { baseUrl: string; apiKey: string },
  simulator: Simulator,
): Promise<RunResult> {
  const before = simulator.requests.length;
  const firstRequest = async () => {
    while (simulator.requests.length === before) await new Promise((wait) => setTimeout(wait, 20));
  };
  const endpoint = { ...at, model: modelIdFor(cell) };
  return runClient(
    { client: cell.client.name, install: folder, scenario: cell.scenario, endpoint, timeoutSeconds },
    firstRequest,
  );
}

function printSquare(cells: readonly Cell[]): void {
  print(
    `${cells.length} runs, ${atOnce} at once, ${timeoutSeconds} s each at most. Which client meets which model with which scenario:`,
  );
  for (const client of new Set(cells.map((cell) => cell.client))) {
    const row = cells.filter((cell) => cell.client === client).map(({ scenario }) => scenarios.indexOf(scenario) + 1);
    print(`  ${client.name.padEnd(24)} ${row.join(' ')}`);
  }
  print(`  scenarios: ${scenarios.map(({ name }, at) => `${at + 1} ${name}`).join(', ')}`);
}

function close(shown: readonly Shown[], missing: readonly Missing[]): number {
  const versions = `Node ${process.versions.node}, ${[...new Set(shown.flatMap(({ client }) => client.packages ?? client.python ?? []))].join(', ')}`;
  const command = `npm run test:clients${process.argv.length > 2 ? ` -- ${process.argv.slice(2).join(' ')}` : ''}`;
  const table = report(shown, missing, { versions, command }) + (flags.weak ? `\n${differences(shown)}` : '');
  print(`\n${table}`);
  if (flags.write && flags.weak)
    writeInto(join(root, 'docs/strategies.md'), 'npm run test:clients -- NAME… --weak --write', table);
  else if (flags.write) writeInto(join(root, 'README.md'), 'npm run test:clients -- --write', table);
  const failed = shown.filter(({ through }) => !through.ok).length;
  print(`${shown.length - failed} passed, ${failed} failed, ${missing.length} skipped`);
  return failed === 0 ? 0 : 1;
}

// An interrupted run leaves no processes behind.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

if (flags.clean) {
  rmSync(cache, { recursive: true, force: true });
  print(`Removed ${cache}.`);
} else {
  process.exitCode = await main();
}
