import type { Cell } from './cells.ts';
import { type Figures, quartile } from './measure.ts';
import { type Target, targets } from './targets.ts';

/** Metrics by cell, peer and round. */
export type Rounds = ReadonlyMap<string, ReadonlyMap<string, readonly Figures[]>>;

/** A target with its result. `undefined`: not measured in this run. */
export interface Verdict extends Target {
  readonly ratio: number | undefined;
  /** The same of the smallest program on Node.js that does the gateway's work. */
  readonly smallest: number | undefined;
  readonly verdict: 'aim' | 'must' | 'missed' | 'told' | 'not measured';
}

const higherIsBetter = new Set<keyof Figures>(['requestsPerSecond', 'eventsPerSecond']);

/** One metric of one peer over all rounds; with `added`, minus direct's of the same round. */
export function figureOf(
  rounds: Rounds,
  cell: string,
  peer: string,
  figure: keyof Figures,
  added = false,
): number | undefined {
  const own = rounds.get(cell)?.get(peer);
  const direct = rounds.get(cell)?.get('direct');
  if (!own || own.length === 0 || (added && !direct)) return undefined;
  const values = own.map((each, round) => each[figure] - (added ? (direct?.[round]?.[figure] ?? Number.NaN) : 0));
  return quartile(values, higherIsBetter.has(figure) ? 'upper' : 'lower');
}

/** Every target with its ratio. */
export function verdicts(rounds: Rounds): Verdict[] {
  return targets.map((target) => {
    const of = (peer: string) => figureOf(rounds, target.cell, peer, target.figure, target.added);
    const mine = of('callsmith');
    const baseline = target.against === undefined ? 1 : of(target.against);
    if (mine === undefined || baseline === undefined || !(baseline > 0))
      return { ...target, ratio: undefined, smallest: undefined, verdict: 'not measured' };
    const ratio = mine / baseline;
    const least = of('smallest');
    const found = { ...target, ratio, smallest: least === undefined ? undefined : least / baseline };
    if (target.must === undefined || target.aim === undefined) return { ...found, verdict: 'told' };
    const reaches = (bound: number) => (target.atLeast ? ratio >= bound : ratio <= bound);
    return { ...found, verdict: reaches(target.aim) ? 'aim' : reaches(target.must) ? 'must' : 'missed' };
  });
}

const number = (value: number | undefined, digits = 1): string =>
  value === undefined || Number.isNaN(value) ? '–' : value.toFixed(digits);

/** The words for a verdict in the table. */
const shown: Readonly<Record<Verdict['verdict'], string>> = {
  aim: 'goal met',
  must: 'within the limit',
  missed: 'missed',
  told: 'no limit',
  'not measured': 'not measured',
};

/** The targets as a Markdown table. */
export function verdictTable(found: readonly Verdict[]): string {
  const rows = found.map(({ title, ratio, smallest, must, aim, verdict, atLeast, unit = '×' }) => {
    const bound = (value: number | undefined) => (value === undefined ? '' : `${atLeast ? '≥' : '≤'} ${value} ${unit}`);
    const least = smallest === undefined ? '' : `${number(smallest, 2)} ${unit}`;
    return `| ${title} | ${number(ratio, 2)} ${unit} | ${least} | ${bound(must)} | ${bound(aim)} | ${shown[verdict]} |`;
  });
  return ['| metric | measured | smallest program | limit | goal | |', '|---|---|---|---|---|---|', ...rows].join('\n');
}

/** One Markdown table per cell, a row per peer. */
export function cellTables(rounds: Rounds, cells: readonly Cell[]): string {
  return cells
    .filter(({ name }) => rounds.has(name))
    .map((cell) => {
      const peers = [...(rounds.get(cell.name)?.keys() ?? [])];
      const of = (peer: string, figure: keyof Figures, added = false) =>
        figureOf(rounds, cell.name, peer, figure, added);
      const rows = peers.map((peer) =>
        cell.stream
          ? `| ${peer} | ${number(of(peer, 'eventsPerSecond'), 0)} | ${number(of(peer, 'cpuPerEvent'))} | ${number(of(peer, 'firstTokenP50', true), 0)} | ${number(of(peer, 'chunkP50', true), 0)} / ${number(of(peer, 'chunkP99', true), 0)} | ${cell.connections >= 1000 ? `${number(of(peer, 'rssPerStream'))} | ` : ''}${number(of(peer, 'errors'), 0)} |`
          : `| ${peer} | ${number(of(peer, 'requestsPerSecond'), 0)} | ${number(of(peer, 'cpuPerRequest'))} | ${number(of(peer, 'errors'), 0)} |`,
      );
      const head = cell.stream
        ? [
            `| peer | events/s | CPU µs/event | added first token p50 µs | added chunk p50 / p99 µs | ${cell.connections >= 1000 ? 'RSS per stream, KB | ' : ''}errors |`,
            `|---|---|---|---|---|---|${cell.connections >= 1000 ? '---|' : ''}`,
          ]
        : ['| peer | requests/s | CPU µs/request | errors |', '|---|---|---|---|'];
      return [`### ${cell.title} (\`${cell.name}\`)`, '', ...head, ...rows].join('\n');
    })
    .join('\n\n');
}
