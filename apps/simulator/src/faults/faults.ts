import type { Random } from '../random.ts';
import { type Breakage, beyondRepair, repairable, wrong } from './breakages.ts';

/** Faults of the HTTP answer: none of the model's words come. */
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

/** Faults of the stream as such. */
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

/** Names that stand for one of several, drawn anew. */
const groups = { repairable, 'beyond-repair': beyondRepair } as const;

/** How a turn's calls are made: natively, as text with JSON in it, as text without; `none` where no tools are on offer. */
export type CallForm = 'native' | 'json' | 'tags' | 'none';

/** A fault that comes with a probability; `only` limits it to turns whose calls are made so, `unless` to prompts without example calls. */
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

/** Reads `name` or `name:0.25`, joined by `+` or `,`; names that are not known are left out. */
export function parseFaults(text: string): FaultSpec[] {
  return text.split(/[+,]/).flatMap((part) => {
    const [name = '', chance] = part.trim().split(':');
    return known.has(name)
      ? [{ name: name as FaultSpec['name'], chance: chance === undefined ? 1 : Number(chance) || 0 }]
      : [];
  });
}

/** Draws the faults of a turn whose calls are made as `form` says; `again` is the chance that takes the place of each fault's own. */
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

/** Drawn faults but for those that break arguments. */
export const withoutBreakages = (faults: ReadonlySet<Fault>): ReadonlySet<Fault> => {
  const broken = new Set<Fault>([...repairable, ...beyondRepair, ...wrong]);
  return new Set([...faults].filter((fault) => !broken.has(fault)));
};
