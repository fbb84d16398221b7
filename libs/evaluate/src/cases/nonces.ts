/** Fresh words and numbers for cases, so that no model can have memorized an answer. */
export interface Nonces {
  /** A capitalized nonsense word, e.g. `Velmora`. */
  name(): string;
  /** Lower-case letters and digits, e.g. `k7f3a9`. */
  word(): string;
  /** A whole number from `least` to `most`. */
  number(least: number, most: number): number;
}

/** A seeded generator (mulberry32): the same seed gives the same nonces, so that a resumed probe repeats them. */
export function noncesFrom(seed: string): Nonces {
  let state = 0x811c9dc5;
  for (let at = 0; at < seed.length; at++) state = Math.imul(state ^ seed.charCodeAt(at), 0x01000193);
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const number = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1));
  const letter = (letters: string): string => letters[number(0, letters.length - 1)] ?? '';
  const syllable = (): string => letter('bdfgklmnprstvz') + letter('aeiou');
  return {
    number,
    name: () => {
      const word = syllable() + syllable() + syllable() + letter('lnrs');
      return word[0]?.toUpperCase() + word.slice(1);
    },
    word: () => letter('abcdefghkmnpqrstuvwxyz') + Array.from({ length: 6 }, () => letter('0123456789abcdef')).join(''),
  };
}
