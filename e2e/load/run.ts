// `npm run bench [-- --quick --json --write --check --rounds N --peer NAME --cell NAME --against COMMIT]`, `npm run bench -- defaults [--check --write --cell NAME]`: the gateway at its defaults beside itself without retries; `npm run bench -- soak [--minutes N]`, `npm run bench -- hostile [PART_OF_A_NAME]`, `npm run bench -- hostile texts [DIALECT]`: how long hostile input holds the event loop, `npm run bench -- dashboard`: what the dashboard weighs and how quick it is, `npm run bench -- flame --cell NAME`: docs/benchmarks/NAME.svg.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { processors } from '../machine.ts';
import { freePort } from '../product.ts';
import { type Cell, cells } from './cells.ts';
import { type Comparison, comparisons, comparisonTable, MOST } from './comparison.ts';
import { measureDashboard } from './dashboard.ts';
import { flame } from './flame.ts';
import { hostile } from './hostile.ts';
import { readHostileTexts } from './hostile-texts.ts';
import { type Figures, measure } from './measure.ts';
import { type ParserFigures, parserFigures } from './parser-figures.ts';
import { buildPast, type PastBuild } from './past-build.ts';
import { type BenchSetup, type MissingPeer, type OtherGateway, type Peer, startPeers } from './peers.ts';
import { cellTables, figureOf, type Rounds, type Verdict, verdicts, verdictTable } from './results.ts';
import { soak } from './soak.ts';
import { type StartFigures, startFigures, startTable } from './start-up.ts';

const root = resolve(import.meta.dirname, '../..');
const cache = join(root, '.cache/bench');
const committed = join(root, 'docs/benchmarks.json');

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    minutes: { type: 'string', default: '30' },
    peer: { type: 'string', multiple: true },
    cell: { type: 'string', multiple: true },
    against: { type: 'string' },
  },
});

const quickPeers = [
  'direct',
  'nginx',
  'raw',
  'nest',
  'baseline',
  'smallest',
  'portkey',
  'toolify',
  'toolify-calls',
  'callsmith',
];

const print = (text: string) => (flags.json ? process.stderr : process.stdout).write(`${text}\n`);

async function main(): Promise<number> {
  if (positionals[0] === 'hostile' && positionals[1] === 'texts')
    return readHostileTexts(print, positionals[2]) ? 0 : 1;
  if (positionals[0] === 'hostile') return await hostile(print, positionals[1]);
  if (positionals[0] === 'dashboard') return (await measureDashboard(print)) ? 0 : 1;
  const programs = build();
  const past = flags.against === undefined ? undefined : pastBuild(flags.against);
  const other: OtherGateway | undefined = past ?? (positionals[0] === 'defaults' ? withoutRetries : undefined);
  const mockPort = await freePort();
  const chosen = cells
    .filter(({ name, quick }) => (flags.cell ? flags.cell.includes(name) : !flags.quick || quick))
    .map((cell) => (flags.quick ? { ...cell, seconds: 1, peers: cell.peers ?? quickPeers } : cell));
  const listed = [...new Set(chosen.map(({ model }) => model)), 'mock-n600-d10000'].flatMap((model) => ['-m', model]);
  const mock = spawn(programs.mock, ['-p', String(mockPort), ...listed], { stdio: 'ignore' });
  process.once('exit', () => mock.kill());
  try {
    const ground = { cache, mockPort, cells: chosen, ...(other && { other }) };
    if (positionals[0] === 'flame') {
      for (const cell of chosen) {
        const picture = join(root, `docs/benchmarks/${cell.name}.svg`);
        await flame(cell, mockPort, programs.load, cache, picture);
        print(picture);
      }
      return 0;
    }
    const soaking = positionals[0] === 'soak';
    const wanted = other
      ? ['callsmith', other.name, ...(flags.peer ?? [])]
      : flags.peer
        ? ['direct', ...flags.peer]
        : flags.quick
          ? quickPeers
          : undefined;
    const thousand = soaking ? undefined : chosen.find(({ connections }) => connections >= 1000);
    const start = other || soaking || flags.cell ? undefined : await startFigures(root);
    const memory = await memoryOf(thousand, ground, wanted, programs.load);
    const { peers, absent } = await startPeers(ground, soaking ? ['callsmith'] : wanted);
    try {
      if (soaking) return await soak(peers, programs.load, Number(flags.minutes), print);
      for (const { name, why } of absent) print(`not measured: ${name}: ${why}`);
      if (other && !peers.some(({ name }) => name === other.name)) return 1;
      const rounds = await measureAll(peers, chosen, memory, programs.load);
      if (past)
        return concludeComparison(
          { ...past, file: `against-${past.commit}`, most: MOST, checked: 'all' },
          rounds,
          chosen,
        );
      if (other)
        return concludeComparison(
          { name: other.name, file: 'defaults', most: 1.03, checked: 'cpuPerEvent' },
          rounds,
          chosen,
        );
      return await conclude(rounds, chosen, { peers, absent, start });
    } finally {
      for (const peer of peers) await peer.stop();
    }
  } finally {
    mock.kill();
    past?.remove();
  }
}

/** The same build without what only models with faults need: choosing the strategy, and asking again. */
const withoutRetries: OtherGateway = {
  name: 'without-retries',
  settings: { strategy: 'native', maxCorrections: 0 },
};

function pastBuild(name: string): PastBuild {
  print(`building ${name}, with the packages of its own lockfile`);
  return buildPast(name, root);
}

function build(): { mock: string; load: string } {
  mkdirSync(cache, { recursive: true });
  const compile = (name: string) => {
    const out = join(cache, name);
    execFileSync('cc', ['-O2', '-w', '-o', out, join(import.meta.dirname, `${name}.c`)], { stdio: 'inherit' });
    return out;
  };
  try {
    return { mock: compile('mock'), load: compile('load') };
  } catch {
    throw new Error('The benchmark needs Linux and a C compiler: apt-get install gcc libc6-dev.');
  }
}

/** Rounds interleaved over the peers, whose order rotates by one each round. */
async function measureAll(
  peers: readonly Peer[],
  chosen: readonly Cell[],
  memory: ReadonlyMap<string, number>,
  load: string,
): Promise<Rounds> {
  const count = Number(flags.rounds ?? (flags.quick ? 2 : 5));
  const found = new Map<string, Map<string, Figures[]>>();
  for (const cell of chosen) {
    const by = new Map<string, Figures[]>();
    const running = peers.filter(({ name }) => runs(cell, name));
    for (const peer of running) await warm(peer, cell, load);
    for (let round = 0; round < count; round++) {
      for (let at = 0; at < running.length; at++) {
        const peer = running[(at + round) % running.length] as Peer;
        const figures = await measure(peer, cell, cache, load);
        const rssPerStream = memory.get(peer.name) ?? Number.NaN;
        by.set(peer.name, [...(by.get(peer.name) ?? []), { ...figures, rssPerStream }]);
      }
    }
    found.set(
      cell.name,
      new Map(running.flatMap(({ name }) => (by.has(name) ? [[name, by.get(name) as Figures[]]] : []))),
    );
    print(`${cell.name}: ${running.map(({ name }) => `${name} ${brief(found, cell, name)}`).join(', ')}`);
  }
  return found;
}

/** The gateway that the current build is compared with runs wherever that does. */
const runs = ({ peers }: Cell, name: string): boolean =>
  !peers || peers.includes(name === flags.against || name === withoutRetries.name ? 'callsmith' : name);

const warmed = new Set<string>();

/**
 * A peer's code is compiled as it runs, which should not be compared: a request of the gateway takes three times the CPU
 * in its first two seconds under load, and becomes no cheaper after about ten.
 */
async function warm(peer: Peer, cell: Cell, load: string): Promise<void> {
  const seconds = warmed.has(peer.name) ? 0.7 : flags.quick ? 2 : 12;
  if (peer.pid) await measure(peer, { ...cell, seconds }, cache, load);
  warmed.add(peer.name);
}

/** Memory per stream in KB, by peer: of fresh processes, which are not used afterwards. */
async function memoryOf(
  cell: Cell | undefined,
  ground: BenchSetup,
  wanted: readonly string[] | undefined,
  load: string,
): Promise<ReadonlyMap<string, number>> {
  const memory = new Map<string, number>();
  if (cell === undefined) return memory;
  const { peers } = await startPeers(
    ground,
    ground.other ? wanted : cell.peers?.filter((name) => wanted?.includes(name) ?? true),
  );
  for (const peer of peers) {
    if (peer.pid) memory.set(peer.name, (await measure(peer, cell, cache, load)).rssPerStream);
    await peer.stop();
  }
  return memory;
}

const brief = (rounds: Rounds, cell: Cell, peer: string): string =>
  cell.stream
    ? `${figureOf(rounds, cell.name, peer, 'cpuPerEvent')?.toFixed(1)} µs/event`
    : `${figureOf(rounds, cell.name, peer, 'requestsPerSecond')?.toFixed(0)}/s`;

/** The conditions of a run. */
interface Circumstances {
  readonly peers: readonly Peer[];
  readonly absent: readonly MissingPeer[];
  readonly start: StartFigures | undefined;
}

async function conclude(
  rounds: Rounds,
  chosen: readonly Cell[],
  { peers, absent, start }: Circumstances,
): Promise<number> {
  const slow = slowness(rounds);
  if (slow) print(`This run is void: ${slow}`);
  const found = verdicts(rounds);
  const reader = await parserFigures(cache);
  const tables = [verdictTable(found), ...(start ? [startTable(start)] : []), readerTable(reader)].join('\n\n');
  print(`\n${tables}\n`);
  const result = { date: new Date().toISOString().slice(0, 10), void: slow ?? null, verdicts: found, start, reader };
  if (flags.json)
    process.stdout.write(
      `${JSON.stringify({ ...result, cells: Object.fromEntries([...rounds].map(([name, by]) => [name, Object.fromEntries(by)])) })}\n`,
    );
  if (flags.write && !slow) {
    writeFileSync(committed, `${JSON.stringify(result, null, 2)}\n`);
    writeFileSync(join(root, 'docs/benchmarks.md'), page(rounds, chosen, { peers, absent, tables }));
  }
  return slow || (flags.check && !compare(found, reader)) ? 1 : 0;
}

/** What this build was compared with. */
interface Compared {
  readonly name: string;
  readonly commit?: string;
  /** The names of the files that the result is written to. */
  readonly file: string;
  /** The highest ratio that `--check` accepts, and of what: CPU per event, or of everything. */
  readonly most: number;
  readonly checked: 'cpuPerEvent' | 'all';
}

/** This build divided by what it is compared with. The result is also stored in `.cache/bench`. */
function concludeComparison(
  { name, commit, file, ...bound }: Compared,
  rounds: Rounds,
  chosen: readonly Cell[],
): number {
  const found = comparisons(rounds, chosen, name);
  const title = `current build against ${name}${commit === undefined ? '' : ` (${commit})`}, Node ${process.versions.node}, ${processors}`;
  const table = comparisonTable(found, name);
  print(`\n${title}\n\n${table}\n`);
  const result = { date: new Date().toISOString().slice(0, 10), against: name, commit, found };
  const text = `${JSON.stringify(result, null, 2)}\n`;
  writeFileSync(join(cache, `${file}.json`), text);
  if (flags.json) process.stdout.write(text);
  if (flags.write)
    writeFileSync(join(root, `docs/benchmarks/${file}.md`), `# The ${title}\n\n${result.date}\n\n${table}\n`);
  const checked = found.filter(({ figure }) => bound.checked === 'all' || figure === bound.checked);
  return flags.check && !isWithin(checked, bound.most) ? 1 : 0;
}

/** False if a metric is higher than permitted. */
function isWithin(found: readonly Comparison[], most: number): boolean {
  const worse = found.filter(({ ratio }) => ratio > most);
  for (const { cell, title: figure, ratio } of worse)
    print(`More than ${most} times: ${cell}, ${figure}: ${ratio.toFixed(3)}`);
  return worse.length === 0;
}

/** The machine must be able to carry the load, else no ratio is meaningful. */
function slowness(rounds: Rounds): string | undefined {
  const direct = figureOf(rounds, 'json-16', 'direct', 'requestsPerSecond');
  if (direct !== undefined && direct < 40_000)
    return `direct answers only ${direct.toFixed(0)} requests/s; is something else running?`;
  const chunk = figureOf(rounds, 'paced-100', 'direct', 'chunkP50');
  if (chunk !== undefined && chunk > 200)
    return `direct chunks take ${chunk.toFixed(0)} µs; is something else running?`;
  return undefined;
}

/** True unless a CPU ratio or a parser metric got worse by more than a quarter. */
function compare(found: readonly Verdict[], reader: ParserFigures): boolean {
  if (!existsSync(committed)) throw new Error('docs/benchmarks.json is not there: run npm run bench -- --write first.');
  const before = JSON.parse(readFileSync(committed, 'utf8')) as { verdicts: Verdict[]; reader: ParserFigures };
  const pairs: [string, number | undefined, number | undefined][] = [
    ...found
      .filter(({ gated }) => gated)
      .map((verdict): [string, number | undefined, number | undefined] => [
        verdict.title,
        verdict.ratio,
        before.verdicts.find(({ title }) => title === verdict.title)?.ratio,
      ]),
    ['reader: 100 KB against 10 KB', reader.growth, before.reader.growth],
    ['reader: against a plain scan', reader.againstScan, before.reader.againstScan],
    ['prompt strategy, 40 tools', reader.promptExtraMs, before.reader.promptExtraMs],
  ];
  const worse = pairs.filter(([, now, then]) => now !== undefined && then !== undefined && now > then * 1.25);
  for (const [name, now, then] of worse)
    print(`Worse by more than 25 %: ${name}: ${now?.toFixed(2)}, was ${then?.toFixed(2)}`);
  if (worse.length === 0) print('No CPU ratio got worse by more than 25 %.');
  return worse.length === 0;
}

const readerTable = (reader: ParserFigures): string =>
  [
    '| parser alone, 4-character deltas | measured | limit | goal |',
    '|---|---|---|---|',
    `| 100 KB against 10 KB | ${reader.growth.toFixed(1)} × | ≤ 12 × | ≤ 10.5 × |`,
    `| CPU per KB | ${reader.microsPerKb.toFixed(1)} µs | ≤ 40 µs | ≤ 12 µs |`,
    `| 200 KB against 100 KB | ${reader.doubling.toFixed(2)} × | ≤ 2.2 × | |`,
    `| against a plain scan of the same bytes | ${reader.againstScan.toFixed(1)} × | | |`,
    `| prompt strategy, 40 tools: extra time per request | ${reader.promptExtraMs.toFixed(2)} ms | ≤ 0.5 ms | ≤ 0.2 ms |`,
    `| 20 KB against \`@ai-sdk-tool/parser\` | ${reader.againstParser === undefined ? 'not measured' : `1/${(1 / reader.againstParser).toFixed(0)}`} | ≤ 1/8 | ≤ 1/15 |`,
  ].join('\n');

function page(
  rounds: Rounds,
  chosen: readonly Cell[],
  { peers, absent, tables }: Omit<Circumstances, 'start'> & { readonly tables: string },
): string {
  const lines = [
    '# Benchmarks',
    '',
    `${new Date().toISOString().slice(0, 10)} · Node ${process.versions.node} · ${process.platform} ${process.arch}, ${processors} · \`npm run bench -- --write\``,
    '',
    'All peers ran in one run, interleaved, in rotating order; the values are lower quartiles of the rounds. Compare ratios, not absolute values. Metrics were on, turns recorded, and bodies sampled. CPU is that of the proxy process, by the scheduler’s accounting; the database runs beside it and its CPU is not counted. "Added" is a peer’s value minus that of a direct connection in the same round. The smallest program (`smallest` below, e2e/load/peers/smallest.mjs) is one file on Node’s own HTTP server and client that does a gateway’s work on an answer without faults, and nothing else: key, checks of the body, a request of its own, the answer parsed and searched for calls, counters and a record. A limit that it misses is out of reach of a gateway on Node.js.',
    '',
    tables,
    '',
    '## Cells',
    '',
    cellTables(rounds, chosen),
    '',
    '## Adaptations',
    '',
    ...peers.flatMap(({ adapted }) => (adapted ? [`- ${adapted}`] : [])),
    ...absent.map(({ name, why }) => `- ${name} was not measured: ${why}`),
  ];
  return `${lines.join('\n')}\n`;
}

// An interrupted run leaves no processes behind.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

process.exitCode = await main();
