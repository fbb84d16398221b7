import { isObject, type JsonObject, type JsonValue, parseJson } from '@callsmith/turn';
import type { Random } from '../random.ts';

/** Ways in which a model breaks the JSON of a call that can still be repaired with certainty. */
export const repairable = [
  'trailing-comma',
  'single-quotes',
  'bare-keys',
  'python-literals',
  'raw-newline',
  'missing-comma',
  'fenced',
  'double-encoded',
  'extra-brace',
] as const;

/** Ways beyond certain repair: the meaning is lost. */
export const beyondRepair = ['cut-string', 'garbage'] as const;

/** Ways that leave valid JSON with wrong content. */
export const wrong = ['empty-arguments', 'missing-required', 'text-numbers', 'unknown-key'] as const;

/** A named way to break a call's arguments. */
export type Breakage = (typeof repairable)[number] | (typeof beyondRepair)[number] | (typeof wrong)[number];

/**
 * The arguments' text with the given breakage. One that does not apply to these arguments (e.g. they have no newline to
 * leave unescaped) becomes a trailing comma.
 */
export function breakArguments(args: JsonObject, how: Breakage, random: Random): string {
  const clean = JSON.stringify(args);
  const broken = damage[how](args, clean, random);
  const ineffective = (repairable as readonly string[]).includes(how) && isObject(parseJson(broken));
  return ineffective ? damage['trailing-comma'](args, clean, random) : broken;
}

const damage: Readonly<Record<Breakage, (args: JsonObject, clean: string, random: Random) => string>> = {
  'trailing-comma': (_, clean) => (clean === '{}' ? clean : `${clean.slice(0, -1)},}`),
  // Only if no value contains a quote of either kind: then the meaning stays certain.
  'single-quotes': (_, clean) => (/'|\\"/.test(clean) ? clean : clean.replaceAll('"', "'")),
  'bare-keys': (args) =>
    `{${Object.entries(args)
      .map(([key, value]) => `${/^\w+$/.test(key) ? key : JSON.stringify(key)}: ${JSON.stringify(value)}`)
      .join(', ')}}`,
  'python-literals': (args) => python(args),
  'raw-newline': (_, clean) => clean.replace(/(?<!\\)((?:\\\\)*)\\n/g, '$1\n'),
  'missing-comma': (args, clean) =>
    Object.keys(args).length < 2 ? clean : `{${Object.entries(args).map(pair).join(' ')}}`,
  fenced: (_, clean) => `\`\`\`json\n${clean}\n\`\`\``,
  'double-encoded': (_, clean) => JSON.stringify(clean),
  'extra-brace': (_, clean) => `${clean}}`,
  'cut-string': (_, clean) => cutInString(clean),
  garbage: (_, clean, random) => `{"${random.hex(6)}": ,,] ${clean.slice(2, 12)} <<${random.hex(8)}`,
  'empty-arguments': () => '',
  'missing-required': (args) => JSON.stringify(Object.fromEntries(Object.entries(args).slice(1))),
  'text-numbers': (args) =>
    JSON.stringify(
      Object.fromEntries(
        Object.entries(args).map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]),
      ),
    ),
  'unknown-key': (args, _, random) => JSON.stringify({ ...args, [`extra_${random.hex(3)}`]: true }),
};

const pair = ([key, value]: [string, unknown]): string => `${JSON.stringify(key)}: ${JSON.stringify(value)}`;

function python(value: JsonValue | undefined): string {
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (value === null) return 'None';
  if (Array.isArray(value)) return `[${value.map(python).join(', ')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, each]) => `${JSON.stringify(key)}: ${python(each)}`)
    .join(', ')}}`;
}

/** Cuts inside the last string value, so that its rest cannot be known. */
function cutInString(clean: string): string {
  const last = clean.lastIndexOf('"');
  const start = clean.lastIndexOf('":', last);
  const middle = start < 0 ? clean.length / 2 : start + 3 + (last - start - 3) / 2;
  const cut = clean.slice(0, Math.floor(middle));
  return cut.endsWith('\\') ? cut.slice(0, -1) : cut;
}
