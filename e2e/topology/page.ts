import type { Costs, Finding } from './scenarios.ts';

/** What was seen as a Markdown table. */
export function findingsTable(title: string, findings: readonly Finding[]): string {
  const lines = findings.map(
    ({ what, seen, problems }) => `| ${what} | ${seen} | ${problems.length === 0 ? 'yes' : 'no'} |`,
  );
  return [`### ${title}`, '', '| what | seen | holds |', '|---|---|---|', ...lines].join('\n');
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
    `### One short request (${costs.requests} at ${costs.requestsPerSecond.toFixed(0)} a second)`,
    '',
    '| | a request |',
    '|---|---|',
    ...lines.map(([what, figure]) => `| ${what} | ${figure} |`),
  ].join('\n');
}

const begin = '<!-- figures of .ci/cluster -->';
const end = '<!-- end of the figures -->';

/** The page with its figures replaced. Throws if it has no place for them. */
export function withFigures(page: string, figures: string): string {
  const from = page.indexOf(begin);
  const to = page.indexOf(end);
  if (from < 0 || to < from) throw new Error(`docs/cluster.md has no lines ${begin} and ${end}.`);
  return `${page.slice(0, from + begin.length)}\n\n${figures}\n\n${page.slice(to)}`;
}
