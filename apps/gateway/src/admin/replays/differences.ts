import type { ParseResult } from '@callsmith/contracts';

/** A call as a client gets it. */
export interface DeliveredCall {
  readonly name: string;
  readonly arguments: string;
}

/** One parse of a response, and the resulting calls. */
export interface ComparedAnswer {
  readonly reading: ParseResult;
  readonly got: readonly DeliveredCall[];
}

/** The differences between two parses of one response, in words. */
export function differencesOf(old: ComparedAnswer, now: ComparedAnswer): string[] {
  const [before, after] = [verdictText(old.reading), verdictText(now.reading)];
  return [
    ...(before === after ? [] : [`${before}, now ${after}`]),
    ...namesLines(old.reading.classes, now.reading.classes, { before: '', verb: 'found' }),
    ...namesLines(rulesOf(old.reading), rulesOf(now.reading), { before: 'rule ', verb: 'applied' }),
    ...callLines(old.got, now.got),
  ];
}

const verdictText = ({ outcome, errorCode }: ParseResult): string =>
  [outcome ?? (errorCode === null ? 'no tools' : undefined), errorCode].filter(Boolean).join(' with ');

const rulesOf = ({ calls }: ParseResult): string[] => [...new Set(calls.flatMap(({ rules }) => rules))];

function namesLines(
  old: readonly string[],
  now: readonly string[],
  { before, verb }: { before: string; verb: string },
): string[] {
  const removed = old.filter((name) => !now.includes(name));
  const added = now.filter((name) => !old.includes(name));
  return [
    ...(removed.length > 0 ? [`${before}${removed.join(', ')} no longer ${verb}`] : []),
    ...(added.length > 0 ? [`${before}${added.join(', ')} newly ${verb}`] : []),
  ];
}

function callLines(old: readonly DeliveredCall[], now: readonly DeliveredCall[]): string[] {
  const lines: string[] = [];
  for (let n = 0; n < Math.max(old.length, now.length); n++) {
    const line = callLine(n + 1, old[n], now[n]);
    if (line) lines.push(line);
  }
  return lines;
}

function callLine(n: number, old: DeliveredCall | undefined, now: DeliveredCall | undefined): string | undefined {
  if (!now) return `call ${n}, ${old?.name}, is no longer returned`;
  if (!old) return `call ${n}, ${now.name}, is now returned`;
  if (old.name !== now.name) return `call ${n} was ${old.name}, now ${now.name}`;
  if (old.arguments === now.arguments) return undefined;
  return `the arguments of call ${n}, ${now.name}, differ starting at character ${firstDifference(old.arguments, now.arguments) + 1}`;
}

function firstDifference(a: string, b: string): number {
  let at = 0;
  while (at < a.length && at < b.length && a[at] === b[at]) at++;
  return at;
}
