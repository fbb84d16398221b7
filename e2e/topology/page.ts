import type { Costs, Finding } from './scenarios.ts';

/** What was seen as a Markdown table. */
export function findingsTable(findings: readonly Finding[]): string {
  const lines = findings.map(
    ({ what, seen, problems }) => `| ${what} | ${seen} | ${problems.length === 0 ? 'yes' : 'no'} |`,
  );
  return ['| what | seen | holds |', '|---|---|---|', ...lines].join('\n');
}

/** What one request costs as a Markdown table. */
export function costsTable(costs: Costs): string {
  const lines = [
    ['processor time of a gateway', `${costs.cpuMs.toFixed(1)} ms`],
    ['transactions in PostgreSQL', costs.transactions.toFixed(2)],
    ['write-ahead log of PostgreSQL', `${costs.walKb.toFixed(1)} KB`],
    ['growth of the database', `${(costs.rowBytes / 1024).toFixed(1)} KB`],
    ['commands in Redis', costs.redisCommands.toFixed(1)],
  ];
  return [
    `| | a request, of ${costs.requests} at ${costs.requestsPerSecond.toFixed(0)} a second |`,
    '|---|---|',
    ...lines.map(([what, figure]) => `| ${what} | ${figure} |`),
  ].join('\n');
}

/** The page with the figures of one part replaced. Throws if it has no place for them. */
export function withFigures(page: string, part: string, figures: string): string {
  const begin = `<!-- ${part}: written by .ci/cluster -->`;
  const end = `<!-- end of ${part} -->`;
  const from = page.indexOf(begin);
  const to = page.indexOf(end);
  if (from < 0 || to < from) throw new Error(`docs/cluster.md has no lines ${begin} and ${end}.`);
  return `${page.slice(0, from + begin.length)}\n\n${figures}\n\n${page.slice(to)}`;
}
