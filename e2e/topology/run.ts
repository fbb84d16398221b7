// `.ci/cluster [--quick] [--write] [--part NAME …]`: gateways behind HAProxy and nginx, with PostgreSQL and Redis, and
// what breaks when parts of it fail.
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildPast, hasCommit } from '../load/past-build.ts';
import { processors } from '../machine.ts';
import { backupAndRestore } from './backup.ts';
import type { balancers } from './balancers.ts';
import { costsTable, findingsTable, withFigures } from './page.ts';
import {
  type Finding,
  hoppingConversation,
  killedGateway,
  measureCosts,
  oneBudget,
  rollingRestart,
  type Scale,
  storeAway,
  twoVersions,
} from './scenarios.ts';
import { type Site, startSite } from './site.ts';

/** The first version that can share its database with others, v0.1.0, by its commit: a clone need not have the tag. */
const BEFORE = '7e3b438c5a85a873d115a91af1e1abae3f29b76c';

const root = resolve(import.meta.dirname, '../..');
const page = join(root, 'docs/cluster.md');

const { values: flags } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    part: { type: 'string', multiple: true },
  },
});

process.setMaxListeners(50);
// So that all started processes end with it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

const scale: Scale = flags.quick
  ? { streams: 12, longSeconds: 10, seconds: 8, awaySeconds: 8 }
  : { streams: 40, longSeconds: 60, seconds: 20, awaySeconds: 30 };

const scenarios: ((site: Site) => Promise<Finding>)[] = [
  (site) => rollingRestart(site, scale),
  (site) => killedGateway(site, scale),
  (site) => storeAway(site, 'PostgreSQL', scale),
  (site) => storeAway(site, 'Redis', scale),
  (site) => hoppingConversation(site),
  oneBudget,
];

type Tell = (finding: Finding) => void;

/** Each part has its place on the page. */
const parts: Record<string, (report: Tell) => Promise<string | undefined>> = {
  versions: async (report) => {
    const past = buildPast(BEFORE, root);
    try {
      await onSite('HAProxy', [past.root, undefined], async (site) => {
        for (const finding of await twoVersions(site, scale)) report(finding);
      });
    } finally {
      past.remove();
    }
    return undefined;
  },
  HAProxy: (report) => behind('HAProxy', report),
  nginx: (report) => behind('nginx', report),
  backup: async (report) => {
    await onSite('HAProxy', [undefined, undefined], async (site) => {
      for (const finding of await backupAndRestore(site)) report(finding);
    });
    return undefined;
  },
  costs: async () => {
    let table: string | undefined;
    await onSite('HAProxy', [undefined, undefined], async (site) => {
      table = costsTable(await measureCosts(site, flags.quick ? 5 : 20));
    });
    return table;
  },
};

async function behind(name: keyof typeof balancers, report: Tell): Promise<undefined> {
  await onSite(name, [undefined, undefined], async (site) => {
    for (const scenario of scenarios) report(await scenario(site));
  });
}

async function onSite(
  name: keyof typeof balancers,
  roots: Parameters<typeof startSite>[1],
  work: (site: Site) => Promise<void>,
): Promise<void> {
  const site = await startSite(name, roots);
  try {
    await work(site);
  } finally {
    await site.stop();
  }
}

const machine = `${new Date().toISOString().slice(0, 10)} · Node ${process.versions.node} · all on one machine, ${processors}`;
const problems: string[] = [];
const leftOut: string[] = [];
const unknown = flags.part?.filter((name) => !Object.hasOwn(parts, name)) ?? [];
if (unknown.length > 0) {
  process.stderr.write(`There is no part ${unknown.join(', ')}; there are ${Object.keys(parts).join(', ')}.\n`);
  process.exit(2);
}
for (const [name, run] of Object.entries(parts)) {
  if (flags.part && !flags.part.includes(name)) continue;
  process.stdout.write(`\n${name}\n`);
  if (name === 'versions' && !hasCommit(BEFORE, root)) {
    const why = `versions was left out: this clone has no commit ${BEFORE} (v0.1.0); git fetch --unshallow brings it.`;
    process.stdout.write(`${why}\n`);
    (flags.part ? problems : leftOut).push(why);
    continue;
  }
  const findings: Finding[] = [];
  const table = await run((finding) => {
    findings.push(finding);
    problems.push(...finding.problems);
    process.stdout.write(`${finding.what}: ${finding.seen}\n`);
    for (const problem of finding.problems) process.stdout.write(`  FAILED: ${problem}\n`);
  });
  const figures = `${machine}\n\n${table ?? findingsTable(findings)}`;
  if (flags.write) writeFileSync(page, withFigures(readFileSync(page, 'utf8'), name, figures));
  else if (table) process.stdout.write(`${table}\n`);
}
process.stdout.write(
  problems.length === 0
    ? `\n${['Everything is as expected.', ...leftOut].join(' ')}\n`
    : `\n${problems.length} not as expected:\n${problems.join('\n')}\n`,
);
process.exit(problems.length === 0 ? 0 : 1);
