import type { Call } from './evidence.ts';

/** Minimum calls on each side for a comparable group. */
const ENOUGH = 10;

/** The comparison of two strategies over calls of the same kind. */
export interface StratifiedDifference {
  /**
   * The first one's failed share minus the second one's, over all groups (Mantel–Haenszel); undefined: no group has
   * both.
   */
  readonly difference: number | undefined;
  /** In one group the first is better, in another the second. */
  readonly mixed: boolean;
}

interface Side {
  n: number;
  bad: number;
}

/**
 * Compares calls within the same client, streamed or whole, with few or many tools: a strategy that only got the easier
 * requests is not the better one (Simpson's paradox). Mantel and Haenszel's risk difference weights the groups.
 */
export function stratifiedDifference(one: readonly Call[], other: readonly Call[]): StratifiedDifference {
  const [first, second] = [byGroup(one), byGroup(other)];
  let [sum, weights, better, worse] = [0, 0, false, false];
  for (const [group, a] of first) {
    const b = second.get(group);
    if (b === undefined || a.n < ENOUGH || b.n < ENOUGH) continue;
    const difference = a.bad / a.n - b.bad / b.n;
    const weight = (a.n * b.n) / (a.n + b.n);
    sum += weight * difference;
    weights += weight;
    if (difference < 0) better = true;
    if (difference > 0) worse = true;
  }
  return { difference: weights === 0 ? undefined : sum / weights, mixed: better && worse };
}

function byGroup(calls: readonly Call[]): ReadonlyMap<string, Side> {
  const groups = new Map<string, Side>();
  for (const { client, streamed, manyTools, bad } of calls) {
    const name = `${client} ${streamed} ${manyTools}`;
    const side = groups.get(name) ?? { n: 0, bad: 0 };
    side.n++;
    if (bad) side.bad++;
    groups.set(name, side);
  }
  return groups;
}
