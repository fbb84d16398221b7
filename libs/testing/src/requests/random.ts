/** A source of numbers in [0, 1) that gives the same ones for the same seed. */
export type Random = () => number;

export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export const pick = <T>(random: Random, from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;

export const chance = (random: Random, of: number): boolean => random() < of;
