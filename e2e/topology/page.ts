import type { Costs, Finding } from './scenarios.ts';

/** The results as a Markdown table. */
export function findingsTable(findings: readonly Finding[]): string {
  const lines = findings.map(
    ({ what, seen, problems }) => `| ${what} | ${seen} | ${problems.length === 0 ? 'yes' : 'no'} |`,
  );
  return ['| scenario | result | as expected |', '|---|---|---|', ...lines].join('\n');
}

/** The cost of one request as a Markdown table. */
export function costsTable(costs: Costs): string {
  const lines = [
    ['CPU time of a gateway', `${costs.cpuMs.toFixed(1)} ms`],
    ['PostgreSQL transactions', costs.transactions.toFixed(2)],
    ['PostgreSQL write-ahead log', `${costs.walKb.toFixed(1)} KB`],
    ['growth of the database', `${(costs.rowBytes / 1024).toFixed(1)} KB`],
    ['Redis commands', costs.redisCommands.toFixed(1)],
  ];
  return [
    `| | per request (${costs.requests} requests, ${costs.requestsPerSecond.toFixed(0)} per second) |`,
    '|---|---|',
    ...lines.map(([what, figure]) => `| ${what} | ${figure} |`),
  ].join('\n');
}

/** The page with the results of one part replaced. Throws if the page has no place for them. */
export function withFigures(page: string, part: string, figures: string): string {
  const begin = `<!-- ${part}: written by .ci/cluster -->`;
  const end = `<!-- end of ${part} -->`;
  const from = page.indexOf(begin);
  const to = page.indexOf(end);
  if (from < 0 || to < from) throw new Error(`docs/cluster.md has no lines ${begin} and ${end}.`);
  return `${page.slice(0, from + begin.length)}\n\n${figures}\n\n${page.slice(to)}`;
}
