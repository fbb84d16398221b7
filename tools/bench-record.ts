// Seeds a database with many turns and measures every list and chart query of the admin API on it:
//   node tools/run.mjs tools/bench-record.ts [turns, 10000000 unless given] [folder of an embedded database to keep]
//     [--write]
// Prints a page in Markdown; with --write, into docs/record.md. A query fails if it takes longer than a second or reads
// a day of turns or calls from end to end.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { facetName } from '@callsmith/contracts';
import { budgetHistory } from '@callsmith/data/alerts';
import { createPrisma, migrate, type PrismaService } from '@callsmith/data/database';
import { startEmbeddedPostgres } from '@callsmith/data/embedded';
import {
  affectedBy,
  chartStepSeconds,
  classesOverTime,
  engineChangesOf,
  enginesOf,
  outcomesByStrategy,
  overviewOf,
  rulesOf,
  toolsOf,
  usageBy,
  usageByDay,
  usageOverTime,
} from '@callsmith/data/stats';
import {
  bodyOf,
  callsOf,
  clustersOf,
  facetsOf,
  failureHistory,
  findTurn,
  listTurns,
  pageOfTurns,
} from '@callsmith/data/turns';
import pg from 'pg';
import { processors } from '../e2e/machine.ts';
import { seedTurns } from './many-turns.ts';

const DAY_MS = 86_400_000;
const SLOW_MS = 1_000;
const RUNS = 3;
const FACETS = facetName.options;

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: { write: { type: 'boolean', default: false } },
});
const [turnsText = '10000000', kept] = positionals;
const turns = Number(turnsText);
const folder = kept ?? mkdtempSync(join(tmpdir(), 'callsmith-bench-'));

const postgres = await startEmbeddedPostgres(folder);
const prisma = createPrisma(postgres.url);
const client = new pg.Client({ connectionString: postgres.url, options: '-c TimeZone=UTC' });

/** A query of the admin API: its name in the table, and how it is run. */
type Query = readonly [name: string, run: (prisma: PrismaService) => Promise<unknown>];

/** A period of some days that ends now. */
type LastDays = (days: number) => { readonly from: Date; readonly to: Date };

/** The first page of a list. */
const page = { before: undefined, limit: 50 };

/**
 * Measures every query. Resolves with the page, and whether each is fast enough and reads no day of turns or calls from
 * end to end.
 */
async function measureAll(): Promise<{ page: string; passed: boolean }> {
  const queries = await allQueries();
  const { rows } = await client.query(
    `SELECT count(*)::float8 AS turns, pg_size_pretty(pg_database_size(current_database())) AS size FROM turn`,
  );
  const lines: string[] = [];
  let passed = true;
  for (const [name, run] of queries) {
    const { ms, scans } = await measure(run);
    if (ms > SLOW_MS || scans.length > 0) passed = false;
    lines.push(`| ${name} | ${Math.round(ms)}${ms > SLOW_MS ? ' **slow**' : ''} | ${scans.join(', ') || 'no'} |`);
    progress(lines.at(-1) ?? '');
  }
  return { page: pageOf(rows[0], lines), passed };
}

const pageOf = (
  { turns: stored, size }: { readonly turns: number; readonly size: string },
  lines: readonly string[],
): string =>
  `# The record with ${stored.toLocaleString('en')} requests

${new Date().toISOString().slice(0, 10)} · Postgres 18 (the embedded one, its defaults) · ${process.platform} ${process.arch}, ${processors} · \`node tools/run.mjs tools/bench-record.ts ${turns} --write\`

How fast the dashboard's queries are when the database holds many requests (in the database they are called turns).

The test data are thirty days of requests: twelve models, eight teams, sixty keys, ten clients; one request in ten is not clean. The product's own job rolled them up. As by default, the failed and repaired ones of the last seven days, and a fifth of the others, can be searched: 300 words each, as frequent as in prose, and three paths of arguments. A page of a search reads 2,000 requests, and finds up to 2,000 more by the index. Every list and chart query of the admin API runs through the product's own functions on a warm database. \`EXPLAIN\` shows its plan, and a query that scans a whole day of turns or calls counts as failed. The limit is ${SLOW_MS} ms.

The database has ${size} with indexes.

| query | ms (median of ${RUNS}) | scans a whole day |
|---|---|---|
${lines.join('\n')}
`;

/**
 * All queries, about a turn in the middle of the record and its most frequent group of failures. The periods end with
 * the newest turn: a kept folder may be older than an hour.
 */
async function allQueries(): Promise<Query[]> {
  const {
    rows: [{ now }],
  } = await client.query('SELECT max(at) AS now FROM turn');
  const last: LastDays = (days) => ({ from: new Date(now.getTime() - days * DAY_MS), to: now });
  const { items: groups } = await clustersOf(prisma, last(30), { offset: 0, limit: 1 });
  const [middle] = await listTurns(prisma, { ...last(15), to: last(14).from }, page);
  const [recent] = await listTurns(prisma, { ...last(4), to: last(3).from }, page);
  const id = middle?.id ?? '';
  return [
    ...overviewQueries(last),
    ...usageQueries(last),
    ...modelQueries(last),
    ...turnQueries(last, id),
    ...failureQueries(last),
    ...searchQueries(last, recent?.id ?? ''),
    ...clusterQueries(last, groups[0]!),
    ...facetQueries(last),
    [
      'one turn with calls and body',
      (db) => Promise.all([findTurn(db, id, undefined), callsOf(db, id), bodyOf(db, id)]),
    ],
  ];
}

/** The charts of the overview. */
const overviewQueries = (last: LastDays): Query[] => [
  ['overview, 1 hour', (db) => overviewOf(db, last(1 / 24))],
  ['overview, 6 hours', (db) => overviewOf(db, last(1 / 4))],
  ['overview, 24 hours', (db) => overviewOf(db, last(1))],
  ['overview, 24 hours, one model', (db) => overviewOf(db, { ...last(1), modelId: 'model_3' })],
  ['overview, 24 hours, one client', (db) => overviewOf(db, { ...last(1), client: 'client_3' })],
  ['overview, 7 days', (db) => overviewOf(db, last(7))],
  ['overview, 30 days', (db) => overviewOf(db, last(30))],
];

/** Who uses what, and which tools and rules. */
const usageQueries = (last: LastDays): Query[] => [
  ['usage by key, 24 hours', (db) => usageBy(db, last(1), 'key')],
  ['usage by key, 30 days', (db) => usageBy(db, last(30), 'key')],
  [
    'usage over time by key, 24 hours',
    (db) => usageOverTime(db, last(1), { step: chartStepSeconds(last(1)), by: 'key' }),
  ],
  [
    'usage over time by key, 30 days',
    (db) => usageOverTime(db, last(30), { step: chartStepSeconds(last(30)), by: 'key' }),
  ],
  [
    'usage over time of a key, 7 days',
    (db) => usageOverTime(db, { ...last(7), keyId: 'key_3' }, { step: chartStepSeconds(last(7)), by: 'model' }),
  ],
  ['tools of a model, 7 days', (db) => toolsOf(db, { ...last(7), modelId: 'model_3' })],
  ['rules, 7 days', (db) => rulesOf(db, last(7))],
  ['who uses a model, 7 days', (db) => affectedBy(db, { ...last(7), modelId: 'model_3' })],
];

/** The pages of a model and a key. */
const modelQueries = (last: LastDays): Query[] => {
  const model = { ...last(7), modelId: 'model_3', teamId: undefined };
  return [
    ['models by strategy, 30 days', (db) => outcomesByStrategy(db, last(30))],
    ['strategies of a model, 7 days', (db) => usageBy(db, model, 'strategyUsed')],
    ['classes of a model, 7 days', (db) => classesOverTime(db, model, 60)],
    ['clients of a model, 7 days', (db) => usageBy(db, model, 'client')],
    ['engine versions of a model, 7 days', (db) => enginesOf(db, model)],
    ['engine changes of a model, 7 days', (db) => engineChangesOf(db, model)],
    [
      'budget of a model, 30 days',
      (db) => budgetHistory(db, { modelId: 'model_3' }, { budget: 0.02, now: last(30).to }),
    ],
    ['usage of a key by day, 30 days', (db) => usageByDay(db, 'key_3', last(30))],
  ];
};

/** Lists of turns. `id`: a turn in the middle of the list. */
const turnQueries = (last: LastDays, id: string): Query[] => [
  ['turns, first page, 30 days', (db) => pageOfTurns(db, last(30), page)],
  ['turns, a page in the middle', (db) => pageOfTurns(db, last(30), { before: id, limit: 50 })],
  ['turns of a team, 30 days', (db) => pageOfTurns(db, { ...last(30), teamId: 'team_3' }, page)],
  [
    'turns of a key and a model, 30 days',
    (db) => pageOfTurns(db, { ...last(30), keyId: 'key_3', modelId: 'model_1' }, page),
  ],
  ['turns of a tool, 30 days', (db) => pageOfTurns(db, { ...last(30), tool: 'tool_7' }, page)],
  ['turns of a client, 30 days', (db) => pageOfTurns(db, { ...last(30), client: 'client_3' }, page)],
  ['a conversation, 30 days', (db) => pageOfTurns(db, { ...last(30), conversation: 'none' }, page)],
  ['a request by its id, 30 days', (db) => pageOfTurns(db, { ...last(30), requestId: 'none' }, page)],
];

/** Lists of failures. */
const failureQueries = (last: LastDays): Query[] => [
  ['failures, first page, 30 days', (db) => pageOfTurns(db, { ...last(30), failures: true }, page)],
  [
    'failures of a model and a class',
    (db) => pageOfTurns(db, { ...last(30), failures: true, modelId: 'model_3', class: 'InvalidJson' }, page),
  ],
  ['failures of a tool, 30 days', (db) => pageOfTurns(db, { ...last(30), failures: true, tool: 'tool_7' }, page)],
  [
    'failures of a class that never was',
    (db) => pageOfTurns(db, { ...last(7), failures: true, class: 'CallForbidden' }, page),
  ],
  ['failures of a shape', (db) => pageOfTurns(db, { ...last(30), failures: true, shape: 'ab' }, page)],
  ['failures repaired by a rule', (db) => pageOfTurns(db, { ...last(30), rule: 'leaked-call' }, page)],
  ['failures repaired by a rule that never was', (db) => pageOfTurns(db, { ...last(7), rule: 'never' }, page)],
  ['failures of a status, 30 days', (db) => pageOfTurns(db, { ...last(30), failures: true, status: '504' }, page)],
  [
    'failures of a group',
    async (db) => {
      const { items } = await clustersOf(db, last(1), { offset: 0, limit: 1 });
      await pageOfTurns(db, { ...last(30), group: items[0]! }, page);
    },
  ],
];

/** Searches of message content. `id`: a turn in the middle of the list. */
const searchQueries = (last: LastDays, id: string): Query[] => [
  ...[
    ['in every request', 'w1'],
    ['in one of forty', 'w1000'],
    ['in one of two thousand', 'w50000'],
    ['that never was', 'nowhere'],
    ['and another', 'w20 w3000'],
  ].map(([name, text]): Query => [`a word ${name}`, (db) => pageOfTurns(db, { ...last(30), text: `"${text}"` }, page)]),
  ['a phrase of two frequent words', (db) => pageOfTurns(db, { ...last(30), text: '"w2 w3"' }, page)],
  ['a phrase of two rare words', (db) => pageOfTurns(db, { ...last(30), text: '"w2000 w3000"' }, page)],
  ['words that begin alike', (db) => pageOfTurns(db, { ...last(30), text: 'w12' }, page)],
  ['a word of one model', (db) => pageOfTurns(db, { ...last(30), text: '"w1000"', modelId: 'model_3' }, page)],
  ['a word in every request, of a key', (db) => pageOfTurns(db, { ...last(30), text: '"w1"', keyId: 'key_3' }, page)],
  [
    'a word of failures of a tool',
    (db) => pageOfTurns(db, { ...last(30), text: '"w20"', failures: true, tool: 'tool_7' }, page),
  ],
  [
    'a word in every request, of a team',
    (db) => pageOfTurns(db, { ...last(30), text: '"w1"', teamId: 'team_3' }, page),
  ],
  [
    'a word that never was, of a team',
    (db) => pageOfTurns(db, { ...last(30), text: '"nowhere"', teamId: 'team_3' }, page),
  ],
  ['facets of a word, of a team', (db) => facetsOf(db, { ...last(30), text: '"w1"', teamId: 'team_3' }, FACETS)],
  ['a word, a page in the middle', (db) => pageOfTurns(db, { ...last(30), text: '"w1"' }, { before: id, limit: 50 })],
  ['an argument of every call', (db) => pageOfTurns(db, { ...last(30), argument: 'edits.path' }, page)],
  ['an argument of few calls', (db) => pageOfTurns(db, { ...last(30), argument: 'option_7' }, page)],
  ['facets of a word in every request', (db) => facetsOf(db, { ...last(30), text: '"w1"' }, FACETS)],
  ['facets of a word in one of forty', (db) => facetsOf(db, { ...last(30), text: '"w1000"' }, FACETS)],
  ['facets of a word in one of two thousand', (db) => facetsOf(db, { ...last(30), text: '"w50000"' }, FACETS)],
];

/** Groups of failures. */
const clusterQueries = (last: LastDays, group: Awaited<ReturnType<typeof clustersOf>>['items'][number]): Query[] => [
  ['clusters, 24 hours', (db) => clustersOf(db, last(1), { offset: 0, limit: 200 })],
  ['clusters, 30 days', (db) => clustersOf(db, last(30), { offset: 0, limit: 200 })],
  [
    'clusters, 30 days, new since a visit two days ago',
    (db) => clustersOf(db, last(30), { offset: 0, limit: 200 }, { teamId: null, state: 'new', visit: last(2).from }),
  ],
  ['story of a group, 90 days', (db) => failureHistory(db, { ...last(90), group })],
  ['clusters, 30 days, a later page', (db) => clustersOf(db, last(30), { offset: 5_000, limit: 200 })],
];

/** The counts of values beside a list. */
const facetQueries = (last: LastDays): Query[] => [
  ['facets, 30 days', (db) => facetsOf(db, last(30), FACETS)],
  [
    'facets of a model and an outcome',
    (db) => facetsOf(db, { ...last(30), modelId: 'model_3', outcome: 'failed' }, FACETS),
  ],
  ['facets of failures, 30 days', (db) => facetsOf(db, { ...last(30), failures: true }, FACETS)],
  ['facets of a tool, 30 days', (db) => facetsOf(db, { ...last(30), tool: 'tool_7' }, FACETS)],
];

async function measure(run: (prisma: PrismaService) => Promise<unknown>): Promise<{ ms: number; scans: string[] }> {
  const times: number[] = [];
  const statements = await captured(() => run(prisma));
  for (let n = 0; n < RUNS; n++) {
    const began = performance.now();
    await run(prisma);
    times.push(performance.now() - began);
  }
  times.sort((a, b) => a - b);
  const scans = new Set<string>();
  for (const { text, values } of statements) for (const table of await wholeScans(text, values)) scans.add(table);
  return { ms: times[Math.floor(RUNS / 2)] ?? 0, scans: [...scans] };
}

interface Statement {
  readonly text: string;
  readonly values: unknown[];
}

/** The statements that reach the database while a function runs. */
async function captured(run: () => Promise<unknown>): Promise<Statement[]> {
  const statements: Statement[] = [];
  const prototype = pg.Client.prototype as { query: (...args: unknown[]) => unknown };
  const { query } = prototype;
  prototype.query = function (this: unknown, ...args: unknown[]) {
    const [first] = args as [Partial<Statement> | undefined];
    if (typeof first?.text === 'string')
      statements.push({ text: first.text, values: (args[1] as unknown[]) ?? first.values ?? [] });
    return query.apply(this, args);
  };
  try {
    await run();
  } finally {
    prototype.query = query;
  }
  return statements.filter(({ text }) => /^\s*(?:SELECT|WITH)\b/i.test(text));
}

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Plan Rows'?: number;
  readonly Plans?: Plan[];
}

/** Partitions of turns and calls with rows in them that a statement would read completely. */
async function wholeScans(text: string, values: unknown[]): Promise<string[]> {
  const { rows } = await client.query(`EXPLAIN (FORMAT JSON) ${text}`, values);
  const found: string[] = [];
  const filled = await filledDays();
  const walk = (plan: Plan): void => {
    const table = plan['Relation Name'] ?? '';
    if (plan['Node Type'] === 'Seq Scan' && filled.has(table)) found.push(table);
    for (const child of plan.Plans ?? []) walk(child);
  };
  walk(rows[0]['QUERY PLAN'][0].Plan);
  return found;
}

/** Partitions that it would matter to read completely: not those of the first hours of a day. */
async function filledDays(): Promise<ReadonlySet<string>> {
  const { rows } = await client.query(`
    SELECT relname FROM (
      SELECT relname, reltuples, max(reltuples) OVER () AS most
      FROM pg_class WHERE relname ~ '^(turn|call)_[0-9]{8}$' AND relkind = 'r'
    ) AS day WHERE reltuples > most / 10`);
  return new Set(rows.map(({ relname }) => relname));
}

function progress(message: string): void {
  process.stderr.write(`${message}\n`);
}

try {
  await migrate(postgres.url, fileURLToPath(new URL('../prisma/migrations', import.meta.url)));
  await client.connect();
  await seedTurns(client, prisma, { turns, days: 30, progress });
  const { page, passed } = await measureAll();
  process.stdout.write(page);
  if (flags.write) writeFileSync(fileURLToPath(new URL('../docs/record.md', import.meta.url)), page);
  process.exitCode = passed ? 0 : 1;
} finally {
  await client.end();
  await prisma.$disconnect();
  await postgres.stop();
  if (!kept) rmSync(folder, { recursive: true, force: true });
}
