/** Of longer names only the prefix is compared. */
const longest = 64;
/** Maximum names that are sorted; the others follow unsorted. */
const most = 500;

/** Names on offer, those most similar to a name first; unsorted if it is empty. */
export function nearestNames(like: string, names: readonly string[]): string[] {
  if (like === '') return [...names];
  const wanted = like.toLowerCase().slice(0, longest);
  const near = names
    .slice(0, most)
    .map((name) => ({ name, distance: distance(wanted, name.toLowerCase().slice(0, longest)) }));
  near.sort((a, b) => a.distance - b.distance);
  return [...near.map(({ name }) => name), ...names.slice(most)];
}

/** Levenshtein distance: characters to add, remove or change to turn one text into the other. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++)
      next.push(
        Math.min((row[j] as number) + (a[i] === b[j] ? 0 : 1), (row[j + 1] as number) + 1, (next[j] as number) + 1),
      );
    row = next;
  }
  return row[b.length] as number;
}
