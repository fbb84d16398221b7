/** A small, fast, seeded source of numbers in [0, 1). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Ways to cut a text: each is the list of places where it is cut. */
export function* cuttings(text: string, random: number): Generator<number[]> {
  yield Array.from({ length: Math.max(0, text.length - 1) }, (_, place) => place + 1);
  for (let place = 1; place < text.length; place++) yield [place];
  for (let seed = 1; seed <= random; seed++) yield randomCuts(text, seed);
}

/** Cuts into pieces of 1 to `longest` characters; the longest itself differs by seed. */
export function randomCuts(text: string, seed: number): number[] {
  const next = seeded(seed);
  const longest = [2, 4, 9, 40, 200][seed % 5] as number;
  const places: number[] = [];
  for (let at = 1 + Math.floor(next() * longest); at < text.length; at += 1 + Math.floor(next() * longest))
    places.push(at);
  return places;
}
