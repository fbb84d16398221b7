/** How many requests there were on a day that begins at `at` (UTC). */
interface Day {
  readonly at: string;
  readonly count: number;
}

const DAY_MS = 86_400_000;

/** The days from the first to the last of those that were counted, in order, with those between them that have none. */
export function withEmptyDays(days: readonly Day[]): readonly Day[] {
  const counts = new Map(days.map(({ at, count }) => [Date.parse(at), count]));
  const [first, last] = [days[0], days.at(-1)].map((day) => Date.parse(day?.at ?? ''));
  if (first === undefined || last === undefined || !(first <= last)) return days;
  return Array.from({ length: Math.round((last - first) / DAY_MS) + 1 }, (_, place) => {
    const at = first + place * DAY_MS;
    return { at: new Date(at).toISOString(), count: counts.get(at) ?? 0 };
  });
}
