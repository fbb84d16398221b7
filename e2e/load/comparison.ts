import type { Cell } from './cells.ts';
import type { Figures } from './measure.ts';
import { figureOf, type Rounds } from './results.ts';

/** One metric of one cell: the current build divided by the past one. */
export interface Comparison {
  readonly cell: string;
  readonly figure: keyof Figures;
  readonly title: string;
  readonly present: number;
  readonly past: number;
  /** Of the lower quartiles of all rounds. */
  readonly ratio: number;
  /** The lowest and the highest ratio of a single round: the random variation. */
  readonly rounds: readonly [lowest: number, highest: number];
}

/** Limits of what a change may cost: beyond them, `--check` fails. */
export const MOST = 1.05;

const FIGURES: readonly { figure: keyof Figures; title: string; isOf: (cell: Cell) => boolean }[] = [
  { figure: 'cpuPerEvent', title: 'CPU per event, µs', isOf: ({ stream }) => stream },
  { figure: 'cpuPerRequest', title: 'CPU per request, µs', isOf: () => true },
  { figure: 'rss', title: 'memory after it, KB', isOf: () => true },
  {
    figure: 'rssPerStream',
    title: 'memory per stream of a fresh process, KB',
    isOf: ({ connections }) => connections >= 1000,
  },
];

/** Compares the peer `callsmith` with the peer `past` in every cell that both ran. */
export function comparisons(rounds: Rounds, cells: readonly Cell[], past: string): Comparison[] {
  return cells.flatMap((cell) =>
    FIGURES.filter(({ isOf }) => isOf(cell)).flatMap(({ figure, title }) => {
      const present = figureOf(rounds, cell.name, 'callsmith', figure);
      const before = figureOf(rounds, cell.name, past, figure);
      if (present === undefined || before === undefined || !(before > 0)) return [];
      const [own, other] = ['callsmith', past].map((peer) => rounds.get(cell.name)?.get(peer) ?? []);
      const each = (own ?? []).map((figures, round) => figures[figure] / (other?.[round]?.[figure] ?? Number.NaN));
      const span = [Math.min(...each), Math.max(...each)] as const;
      return [{ cell: cell.name, figure, title, present, past: before, ratio: present / before, rounds: span }];
    }),
  );
}

/** The comparisons as a Markdown table. */
export function comparisonTable(found: readonly Comparison[], past: string): string {
  const rows = found.map(
    ({ cell, title, present, past: before, ratio, rounds: [lowest, highest] }) =>
      `| ${cell} | ${title} | ${present.toFixed(1)} | ${before.toFixed(1)} | ${ratio.toFixed(3)} | ${lowest.toFixed(2)} to ${highest.toFixed(2)} |`,
  );
  return [`| cell | metric | current | ${past} | ratio | single rounds |`, '|---|---|---|---|---|---|', ...rows].join(
    '\n',
  );
}
