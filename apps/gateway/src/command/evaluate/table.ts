import { type ReplyVerdict, wilson } from '@callsmith/evaluate';
import type { EvaluatedRow } from './evaluate.ts';

type Count = (verdict: ReplyVerdict) => readonly [hits: number, all: number];

const one = (value: boolean | null): readonly [number, number] => (value === null ? [0, 0] : [value ? 1 : 0, 1]);

const measures: readonly (readonly [title: string, count: Count])[] = [
  ['call made, if one is expected', ({ made }) => one(made)],
  ['calls that match an accepted answer', ({ right }) => one(right)],
  ['call made, if none is expected', ({ falseCall }) => one(falseCall)],
  ['calls with an offered name', ({ onOffer, calls }) => [onOffer, calls]],
  ['calls with valid JSON arguments', ({ json, calls }) => [json, calls]],
  ['calls that satisfy their schema', ({ valid, calls }) => [valid, calls]],
  ['replies with unchanged text', ({ textKept }) => one(textKept)],
];

/**
 * The rows' metrics as a Markdown table: shares with their 95 % intervals (Wilson), a section for each delivery mode.
 */
export function figuresTable(rows: readonly EvaluatedRow[]): string {
  const parts = [...new Set(rows.map(wayOf))].map((way) => {
    const its = rows.filter((row) => wayOf(row) === way);
    const lines = measures.flatMap(([title, count]) => {
      const direct = share(its.map((row) => count(row.direct)));
      const through = share(its.map((row) => count(row.through)));
      return direct === '' && through === '' ? [] : [`| ${title} | ${direct || '–'} | ${through || '–'} |`];
    });
    return [`${way}, ${its.length} replies:`, '', '| | directly | through Callsmith |', '|---|---|---|', ...lines].join(
      '\n',
    );
  });
  return `${parts.join('\n\n')}\n`;
}

const wayOf = ({ strategy, streamed }: EvaluatedRow): string => `\`${strategy}\`, ${streamed ? 'streamed' : 'whole'}`;

function share(counts: readonly (readonly [number, number])[]): string {
  const hits = counts.reduce((sum, [hit]) => sum + hit, 0);
  const all = counts.reduce((sum, [, of]) => sum + of, 0);
  const rate = wilson(hits, all);
  return rate === null ? '' : `${hits} of ${all}, ${percent(rate.value)} (${percent(rate.low)}–${percent(rate.high)})`;
}

const percent = (value: number): string => `${(value * 100).toFixed(1)} %`;
