import { readFileSync, writeFileSync } from 'node:fs';
import type { RunResult } from './run-client.ts';
import type { Cell } from './schedule.ts';

/** A cell with its result. `na`: the simulator does not support this client’s API. */
export interface Shown extends Cell {
  readonly direct: RunResult | 'na';
  readonly through: RunResult;
}

/** A client that could not be installed. */
export interface Missing {
  readonly title: string;
  readonly problem: string;
}

const share = (results: readonly boolean[]): string => {
  if (results.length === 0) return 'n/a';
  const passed = results.filter(Boolean).length;
  return `${Math.round((100 * passed) / results.length)} % (${passed} of ${results.length})`;
};

const sentence =
  'The models are simulated and we chose their faults: the table shows how the gateway handles these faults, not how often they occur.';

/** The table as Markdown: by client, then by model, then every failure. */
export function report(
  shown: readonly Shown[],
  missing: readonly Missing[],
  about: { versions: string; command: string },
): string {
  const lines = [
    `${new Date().toISOString().slice(0, 10)} · ${about.versions} · \`${about.command}\``,
    '',
    sentence,
    '',
    ...tableBy(shown, 'Client', ({ client }) => client.title),
    ...missing.map(
      ({ title, problem }) => `| ${title} | not shown | not shown: ${problem.replaceAll('|', '/').slice(0, 120)} |`,
    ),
    '',
    ...tableBy(shown, 'Model', ({ model }) => model.title),
    '',
    ...failures(shown),
  ];
  return `${lines.join('\n')}\n`;
}

function tableBy(shown: readonly Shown[], head: string, key: (cell: Shown) => string): string[] {
  const groups = new Map<string, Shown[]>();
  for (const cell of shown) groups.set(key(cell), [...(groups.get(key(cell)) ?? []), cell]);
  const rows = [...groups].map(([name, cells]) => {
    const direct = cells.flatMap(({ direct }) => (direct === 'na' ? [] : [direct.ok]));
    return `| ${name} | ${isVoid(cells) ? 'void' : share(direct)} | ${share(cells.map(({ through }) => through.ok))} |`;
  });
  return [`| ${head} | direct | through Callsmith |`, '|---|---|---|', ...rows];
}

/** The faultless model must work without the gateway, else the row says nothing about it. */
const isVoid = (cells: readonly Shown[]): boolean =>
  cells.some(
    ({ model, direct }) =>
      model.faultless && direct !== 'na' && !direct.ok && cells.every((cell) => cell.client === cells[0]?.client),
  );

function failures(shown: readonly Shown[]): string[] {
  const failed = shown.filter(({ through }) => !through.ok);
  if (failed.length === 0) return ['Every run through Callsmith did what it was to do.'];
  return ['Failed runs through Callsmith:', '', ...failed.map((cell) => `${lineOf(cell)}: ${cell.through.problem}`)];
}

/** What changed for the runs that can be made without the gateway: those that only work through it, and the others. */
export function differences(shown: readonly Shown[]): string {
  const listed = (isListed: (direct: RunResult, through: RunResult) => boolean): string[] => {
    const cells = shown.filter(({ direct, through }) => direct !== 'na' && isListed(direct, through));
    return cells.length === 0 ? ['- none'] : cells.map(lineOf);
  };
  const rescued = listed((direct, through) => !direct.ok && through.ok);
  const worse = listed((direct, through) => direct.ok && !through.ok);
  return `${['Rescued:', '', ...rescued, '', 'Worse than directly:', '', ...worse].join('\n')}\n`;
}

const lineOf = ({ client, model, scenario }: Cell): string => `- ${client.title} × ${model.title} × ${scenario.name}`;

/** Puts a table between the markers of a Markdown file, which name the command. Throws without the markers. */
export function writeInto(path: string, command: string, table: string): void {
  const begin = `<!-- clients: begin (${command}) -->`;
  const end = '<!-- clients: end -->';
  const text = readFileSync(path, 'utf8');
  const from = text.indexOf(begin);
  const to = text.indexOf(end);
  if (from < 0 || to < from) throw new Error(`${path} has no place for the client table`);
  writeFileSync(path, `${text.slice(0, from + begin.length)}\n${table}${text.slice(to)}`);
}
