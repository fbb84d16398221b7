import type { JsonObject, JsonValue } from './json.ts';

/** Source text of numbers that a double cannot hold, by the object or array that contains them. */
const sources = new WeakMap<object, Map<string, string>>();

/** Objects and arrays that contain such a number, at any depth. */
const holders = new WeakSet<object>();

/** True for parsed JSON that contains a number which a double cannot hold. */
export const holdsExactNumbers = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && holders.has(value);

/**
 * Parses JSON. Numbers that a double cannot hold (`12345678901234567890`, `1e400`) keep their source text beside the
 * value, so that `writeExact` writes them unchanged; at most 5000 of them. Throws what `JSON.parse` throws.
 */
export function parseExact(text: string): JsonValue {
  const value = JSON.parse(text) as JsonValue;
  if ((eightDigits.test(text) || largeExponent.test(text)) && mayLoseNumbers.test(text)) keepSources(text, value);
  return value;
}

/** Parses untrusted text as `parseExact` does; `undefined` if it is not JSON. Never throws. */
export function parseExactJson(text: string): JsonValue | undefined {
  try {
    return parseExact(text);
  } catch {
    return undefined;
  }
}

/** Writes JSON with the numbers of `parseExact` unchanged. */
export function writeExact(value: unknown): string {
  // Node 20 has no JSON.rawJSON, so the text is written as a unique placeholder string and replaced.
  const mark = `exact-${crypto.randomUUID()}:`;
  const json = JSON.stringify(value, function (this: object, key: string, member: unknown) {
    const source = typeof member === 'number' ? sources.get(this)?.get(key) : undefined;
    return source !== undefined && Object.is(Number(source), member) ? mark + source : member;
  });
  return json.replaceAll(new RegExp(`"${mark}([^"]*)"`, 'g'), '$1');
}

/** JSON text of a value: as `JSON.stringify` writes it, except for numbers that a double cannot hold. */
export const writeJson = (value: unknown): string =>
  holdsExactNumbers(value) ? writeExact(value) : JSON.stringify(value);

/** For members that were copied from one object to another: their numbers keep their source text. */
export function copyNumberSources(from: object, to: object): void {
  if (!holders.has(from)) return;
  holders.add(to);
  const known = sources.get(from);
  if (known === undefined) return;
  const there = sources.get(to) ?? new Map<string, string>();
  for (const [key, source] of known) there.set(key, source);
  sources.set(to, there);
}

/** For values that were put somewhere into `to`: it is written with their original numbers. */
export function holdNumbersOf(values: readonly unknown[], to: object): void {
  if (values.some(holdsExactNumbers)) holders.add(to);
}

/** Copies all members of `from` into `to`, which is returned; numbers keep their source text. */
export function copyMembers(from: JsonObject, to: JsonObject): JsonObject {
  for (const key of Object.keys(from)) to[key] = from[key];
  copyNumberSources(from, to);
  return to;
}

/**
 * Matches every number that a double may not hold: with sixteen digits around one point, at least eight are adjacent.
 * Written out, since V8 then skips eight characters at a time: most bodies contain no such number.
 */
const eightDigits = /\d\d\d\d\d\d\d\d/;
const largeExponent = /\d[eE][+-]?\d\d\d/;

/** Enough digits to exceed a double, or an exponent beyond its range. Linear: it starts at structure only. */
const mayLoseNumbers = /[:,[\s]-?(?:[\d.]{16}|[\d.]+[eE][+-]?\d{3})/;

/** The start of a string, a number, or one structural character; white space and words are between them. */
const token = /["{}[\],]|-?\d[\d.eE+-]*/g;

/** Text with more of them is data, not schemas: the other numbers are left to `JSON.parse`. */
const mostKept = 5000;
/** Values, commas and brackets of a body with the maximum members of a request, with a margin. */
const mostRead = 500_000;

interface Container {
  /** The object in which the found numbers are looked up; undefined if a repeated key hides it. */
  readonly value: JsonObject | JsonValue[] | undefined;
  /** Source text of the key before the next value. */
  key: string | undefined;
  index: number;
}

function keepSources(text: string, root: JsonValue): void {
  const open: Container[] = [];
  let isKey = false;
  const tokens = new RegExp(token);
  let kept = 0;
  let read = 0;
  for (let match = tokens.exec(text); match !== null && kept < mostKept && read < mostRead; match = tokens.exec(text)) {
    read += 1;
    const top = open.at(-1);
    const [found] = match;
    switch (found) {
      case '{':
      case '[': {
        const child = top === undefined ? root : memberOf(top);
        open.push({ value: isContainer(child) ? child : undefined, key: undefined, index: 0 });
        isKey = found === '{';
        break;
      }
      case '}':
      case ']':
        open.pop();
        isKey = false;
        break;
      case ',':
        if (top) top.index += 1;
        isKey = top?.key !== undefined;
        break;
      case '"':
        tokens.lastIndex = stringEnd(text, match.index);
        if (isKey && top) top.key = text.slice(match.index, tokens.lastIndex);
        isKey = false;
        break;
      default:
        if (top?.value !== undefined && losesDigits(found)) {
          keep(open, top, found);
          kept += 1;
        }
    }
  }
}

/** The end of the string that begins at `start`. A pattern for whole strings would overflow its stack on long ones. */
function stringEnd(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); ; quote = text.indexOf('"', quote + 1)) {
    let before = quote;
    while (text[before - 1] === '\\') before -= 1;
    if ((quote - before) % 2 === 0) return quote + 1;
  }
}

const isContainer = (value: JsonValue | undefined): value is JsonObject | JsonValue[] =>
  typeof value === 'object' && value !== null;

/** The name of the value that is being read. */
const nameIn = ({ key, index }: Container): string => (key === undefined ? String(index) : (JSON.parse(key) as string));

const memberOf = (container: Container): JsonValue | undefined =>
  (container.value as JsonObject | undefined)?.[nameIn(container)];

function keep(open: readonly Container[], top: Container, source: string): void {
  if (!Object.is(memberOf(top), Number(source))) return;
  const there = sources.get(top.value as object) ?? new Map<string, string>();
  there.set(nameIn(top), source);
  sources.set(top.value as object, there);
  // If one contains such a number, so do those around it.
  for (let at = open.length - 1; at >= 0; at -= 1) {
    const { value } = open[at] as Container;
    if (value === undefined || holders.has(value)) return;
    holders.add(value);
  }
}

/** True for a number that a double changes. */
function losesDigits(source: string): boolean {
  if (source.length < 5) return false;
  const read = Number(source);
  return !Number.isFinite(read) || decimal(source) !== decimal(String(read));
}

/** A number as its digits, without zeros at either end, and a power of ten. */
function decimal(source: string): string {
  const [mantissa = '', exponent = '0'] = source.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = (whole + fraction).replace(/^-?0*/, '');
  let end = digits.length;
  while (end > 0 && digits[end - 1] === '0') end -= 1;
  if (end === 0) return '0';
  return `${source.startsWith('-') ? '-' : ''}${digits.slice(0, end)}e${Number(exponent) - fraction.length + digits.length - end}`;
}
