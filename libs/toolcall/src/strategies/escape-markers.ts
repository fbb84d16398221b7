import { runSteps } from '../steps.ts';

/** WORD JOINER: invisible, and no tokenizer's special token contains it. */
export const wordJoiner = '\u2060';

/** Characters of a text that are searched for markers in one step. */
const stepLength = 64 * 1024;

/**
 * Keeps markers in a text from taking effect, reversibly.
 *
 * All word joiners are ignored when searching for the start of a marker. Escaping adds one behind the marker's
 * first character, unescaping removes one. As neither changes where markers start, unescaping undoes escaping
 * exactly, even in a text that had word joiners before.
 */
export interface MarkerEscaper {
  escape(text: string): string;
  /** The same in steps of at most a few milliseconds, so that other work can run between them. */
  escapeInSteps(text: string): Generator<undefined, string>;
  /** Markers by their first character, for text that arrives in chunks. */
  readonly byFirst: ReadonlyMap<string, readonly string[]>;
}

/** An escaper for these markers. */
export function markerEscaper(markers: readonly string[]): MarkerEscaper {
  const byFirst = new Map<string, string[]>();
  for (const marker of markers) {
    const first = marker.charAt(0);
    byFirst.set(first, [...(byFirst.get(first) ?? []), marker]);
  }
  const alternatives = [...byFirst].map(
    ([first, own]) => `${literal(first)}(?=${own.map((marker) => literal(marker.slice(1))).join('|')})`,
  );
  const places = new RegExp(alternatives.join('|') || '(?!)', 'g');
  const longest = markers.reduce((most, marker) => Math.max(most, marker.length), 1);
  const escapeInSteps = (text: string): Generator<undefined, string> => addJoiners(text, places, longest);
  return {
    byFirst,
    escapeInSteps,
    escape(text) {
      if (!text.includes(wordJoiner)) return text.replace(places, `$&${wordJoiner}`);
      return runSteps(escapeInSteps(text));
    },
  };
}

const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/**
 * Adds one word joiner behind the first character of each marker, in a text that may have joiners of its own.
 * `longest`: the longest marker's length.
 */
function* addJoiners(text: string, places: RegExp, longest: number): Generator<undefined, string> {
  const plain = text.includes(wordJoiner) ? text.replaceAll(wordJoiner, '') : text;
  const steps: string[] = [];
  let copied = 0;
  let read = 0;
  // the same position, counted without word joiners
  let at = 0;
  let next = nextWordJoiner(text, 0);
  for (let from = 0; from < plain.length; from += stepLength) {
    if (from > 0) yield;
    const part = plain.slice(from, from + stepLength + longest - 1);
    const out: string[] = [];
    places.lastIndex = 0;
    while (places.test(part)) {
      const inPart = places.lastIndex - 1;
      // one that begins behind the step is found again in the next
      if (inPart >= stepLength) break;
      const start = from + inPart;
      while (start >= at + next - read) {
        at += next - read;
        read = next;
        while (text.charCodeAt(read) === wordJoinerCode) read += 1;
        next = nextWordJoiner(text, read);
      }
      const behind = read + start - at + 1;
      out.push(text.slice(copied, behind), wordJoiner);
      copied = behind;
    }
    if (out.length > 0) steps.push(out.join(''));
  }
  if (copied === 0) return text;
  steps.push(text.slice(copied));
  const escaped = steps.join('');
  // Joining a long text takes about as long as what is done with it next.
  if (plain.length > stepLength) yield;
  return escaped;
}

const wordJoinerCode = wordJoiner.charCodeAt(0);

/** Index of the next word joiner, or the text's length. */
function nextWordJoiner(text: string, from: number): number {
  const found = text.indexOf(wordJoiner, from);
  return found < 0 ? text.length : found;
}
