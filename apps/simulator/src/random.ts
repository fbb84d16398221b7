/** A seeded random generator: the same key gives the same sequence on every machine. */
export interface Random {
  /** The next number in [0, 1). */
  next(): number;
  /** True with the given probability. */
  chance(probability: number): boolean;
  /** One of the given values. */
  pick<T>(values: readonly [T, ...T[]]): T;
  /** `length` lower-case hexadecimal digits. */
  hex(length: number): string;
}

/** Makes a generator (mulberry32) from any text. */
export function randomFrom(key: string): Random {
  let state = hash(key);
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    chance: (probability) => next() < probability,
    pick: (values) => values[Math.floor(next() * values.length)] ?? values[0],
    hex: (length) => Array.from({ length }, () => Math.floor(next() * 16).toString(16)).join(''),
  };
}

/** FNV-1a over UTF-16 units, 32 bit. */
export function hash(text: string): number {
  let sum = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) sum = Math.imul(sum ^ text.charCodeAt(at), 0x01000193);
  return sum >>> 0;
}
