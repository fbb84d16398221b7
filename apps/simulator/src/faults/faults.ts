import type { Random } from '../random.ts';
import { type Breakage, beyondRepair, repairable, wrong } from './breakages.ts';

/** Faults of the HTTP response: no model output is sent. */
export const answerFaults = [
  'status-400',
  'status-401',
  'status-404',
  'status-429',
  'status-500',
  'status-502',
  'status-503',
  'engine-500',
  'hang',
  'refuse-tools',
] as const;

/** Faults of the stream itself. */
export const streamFaults = [
  'cut-stream',
  'cut-call',
  'end-stream',
  'end-call',
  'truncate-call',
  'error-object',
  'engine-error',
  'bad-chunk',
  'no-done',
  'no-usage',
  'usage-always',
  'no-finish',
  'finish-stop',
  'finish-length',
  'finish-calls',
  'no-role',
  'silent',
] as const;

/** Faults in how native calls are framed. */
export const framingFaults = [
  'leak',
  'glue-calls',
  'index-zero',
  'index-one',
  'no-index',
  'no-id',
  'empty-id',
  'same-id',
  'id-always',
  'name-always',
  'no-type',
  'arguments-object',
  'one-delta',
  'unknown-tool',
  'wrong-case',
  'empty-answer',
  'announced',
  'call-in-reasoning',
] as const;

/** The name of a fault. */
export type Fault =
  | (typeof answerFaults)[number]
  | (typeof streamFaults)[number]
  | (typeof framingFaults)[number]
  | Breakage;

/** Names of groups, from which one fault is drawn each time. */
const groups = { repairable, 'beyond-repair': beyondRepair } as const;

/** How a turn's calls are written: natively, as text with JSON in it, as text without; `none` without tools. */
export type CallForm = 'native' | 'json' | 'tags' | 'none';

/**
 * A fault with a probability; `only` limits it to turns whose calls are written so, `unless` to prompts without example
 * calls.
 */
export interface FaultSpec {
  readonly name: Fault | keyof typeof groups;
  readonly chance: number;
  readonly only?: CallForm;
  readonly unless?: 'examples';
}

const known = new Set<string>([
  ...answerFaults,
  ...streamFaults,
  ...framingFaults,
  ...repairable,
  ...beyondRepair,
  ...wrong,
  ...Object.keys(groups),
]);

/** Every fault name, groups included. */
export const faultNames: readonly string[] = [...known];

/** Parses `name` or `name:0.25`, joined by `+` or `,`; unknown names are ignored. */
export function parseFaults(text: string): FaultSpec[] {
  return text.split(/[+,]/).flatMap((part) => {
    const [name = '', chance] = part.trim().split(':');
    return known.has(name)
      ? [{ name: name as FaultSpec['name'], chance: chance === undefined ? 1 : Number(chance) || 0 }]
      : [];
  });
}

/** Draws the faults of a turn whose calls are written as `form` says; `again` replaces each fault's own probability. */
export function drawFaults(
  specs: readonly FaultSpec[],
  random: Random,
  {
    form,
    again,
    examples,
  }: { readonly form: CallForm; readonly again?: number | undefined; readonly examples: boolean },
): Set<Fault> {
  const drawn = new Set<Fault>();
  for (const { name, chance, only, unless } of specs) {
    const happens = random.chance(again ?? chance);
    if (!happens || (only !== undefined && only !== form) || (unless !== undefined && examples)) continue;
    drawn.add(name === 'repairable' || name === 'beyond-repair' ? random.pick<Fault>(groups[name]) : name);
  }
  return drawn;
}

/** The breakage among drawn faults, if any. */
export const breakageOf = (faults: ReadonlySet<Fault>): Breakage | undefined =>
  [...repairable, ...beyondRepair, ...wrong].find((name) => faults.has(name));

/** Drawn faults except those that break arguments. */
export const withoutBreakages = (faults: ReadonlySet<Fault>): ReadonlySet<Fault> => {
  const broken = new Set<Fault>([...repairable, ...beyondRepair, ...wrong]);
  return new Set([...faults].filter((fault) => !broken.has(fault)));
};
