/** WORD JOINER: invisible, and no tokenizer's special token holds it. */
export const joiner = '\u2060';

/**
 * Takes the force from markers in a text, and gives it back (D-14).
 *
 * A place where a marker begins is found with every joiner ignored; there one joiner is added behind the marker's
 * first character, or one taken away. Since joiners never move such a place, taking away undoes adding exactly, for
 * any text, joiners of its own included.
 */
export interface Neutraliser {
  neutralise(text: string): string;
  restore(text: string): string;
  /** Markers by their first character, for those who read piece by piece. */
  readonly byFirst: ReadonlyMap<string, readonly string[]>;
}

/** A neutraliser for these markers. */
export function neutraliser(markers: readonly string[]): Neutraliser {
  const byFirst = new Map<string, string[]>();
  for (const marker of markers) {
    const first = marker.charAt(0);
    byFirst.set(first, [...(byFirst.get(first) ?? []), marker]);
  }
  const alternatives = [...byFirst].map(
    ([first, own]) => `${literal(first)}(?=${own.map((marker) => literal(marker.slice(1))).join('|')})`,
  );
  const places = new RegExp(alternatives.join('|') || '(?!)', 'g');
  return {
    byFirst,
    neutralise: (text) => (text.includes(joiner) ? shift(text, places, 1) : text.replace(places, `$&${joiner}`)),
    restore: (text) => (text.includes(joiner) ? shift(text, places, -1) : text),
  };
}

const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/** Adds or takes one joiner behind the first character of each marker; a run of none has none to take. */
function shift(text: string, places: RegExp, by: 1 | -1): string {
  const plain = text.replaceAll(joiner, '');
  const starts = new Set<number>();
  for (const match of plain.matchAll(places)) starts.add(match.index);
  const out: string[] = [];
  let at = 0;
  for (let read = 0; read < text.length; ) {
    const character = text.charAt(read);
    read += 1;
    out.push(character);
    if (character === joiner) continue;
    const start = starts.has(at);
    at += 1;
    if (!start) continue;
    let run = 0;
    while (text.charAt(read + run) === joiner) run += 1;
    out.push(joiner.repeat(Math.max(0, run + by)));
    read += run;
  }
  return out.join('');
}
