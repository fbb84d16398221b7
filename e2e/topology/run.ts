// `.ci/cluster [--quick] [--write]`: two gateways behind HAProxy and nginx, with PostgreSQL and Redis, and what breaks when parts of it go.
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildPast } from '../load/past-build.ts';
import { balancers } from './balancers.ts';
import { costsTable, findingsTable, withFigures } from './page.ts';
import {
  type Costs,
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

/** The version before the database was shared by versions: v0.1.0. */
const BEFORE = '7e3b438';

const root = resolve(import.meta.dirname, '../..');
const page = join(root, 'docs/cluster.md');

const { values: flags } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, write: { type: 'boolean', default: false } },
});

const scale: Scale = flags.quick
  ? { streams: 12, longSeconds: 10, seconds: 8, awaySeconds: 8 }
  : { streams: 40, longSeconds: 60, seconds: 20, awaySeconds: 30 };

// So that what was started ends with it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

const tables: string[] = [];
const problems: string[] = [];
const report = (findings: Finding[], finding: Finding) => {
  findings.push(finding);
  problems.push(...finding.problems);
  process.stdout.write(
    `${finding.what}: ${finding.seen}\n${finding.problems.map((line) => `  NOT SO: ${line}\n`).join('')}`,
  );
};

async function shown(name: keyof typeof balancers, measure: boolean): Promise<Costs | undefined> {
  process.stdout.write(`\n${name}\n`);
  const findings: Finding[] = [];
  const site = await startSite(name);
  try {
    const costs = measure ? await measureCosts(site, flags.quick ? 5 : 20) : undefined;
    for (const scenario of scenarios) report(findings, await scenario(site));
    tables.push(findingsTable(name, findings));
    return costs;
  } finally {
    await site.stop();
  }
}

const scenarios: ((site: Site) => Promise<Finding>)[] = [
  (site) => rollingRestart(site, scale),
  (site) => killedGateway(site, scale),
  (site) => storeAway(site, 'PostgreSQL', scale),
  (site) => storeAway(site, 'Redis', scale),
  hoppingConversation,
  oneBudget,
];

async function besideThePast(): Promise<void> {
  const past = buildPast(BEFORE, root);
  const title = `This version beside ${past.commit} (v0.1.0)`;
  process.stdout.write(`\n${title}\n`);
  const findings: Finding[] = [];
  try {
    const site = await startSite('HAProxy', [past.root, undefined]);
    try {
      for (const finding of await twoVersions(site, scale)) report(findings, finding);
    } finally {
      await site.stop();
    }
  } finally {
    past.remove();
  }
  tables.push(findingsTable(title, findings));
}

await besideThePast();
const costs = await shown('HAProxy', true);
await shown('nginx', false);
const figures = [
  `Measured on ${new Date().toISOString().slice(0, 10)} with Node ${process.versions.node}, everything on one machine of ${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'}).`,
  ...tables,
  ...(costs ? [costsTable(costs)] : []),
].join('\n\n');
if (flags.write) writeFileSync(page, withFigures(readFileSync(page, 'utf8'), figures));
else process.stdout.write(`\n${figures}\n`);
process.stdout.write(
  problems.length === 0 ? '\nAll of it holds.\n' : `\n${problems.length} do not hold:\n${problems.join('\n')}\n`,
);
process.exit(problems.length === 0 ? 0 : 1);
