import type { TurnEvent } from '@callsmith/turn';
import { cuttings } from './splits.ts';

/**
 * The split law: wherever the input is split, the folded result is the same. Returns the first split that violates it,
 * undefined if none does.
 */
export function brokenSplit(
  text: string,
  random: number,
  outcome: (cuts: readonly number[]) => string,
): number[] | undefined {
  const whole = outcome([]);
  for (const cuts of cuttings(text, random)) if (outcome(cuts) !== whole) return cuts;
  return undefined;
}

/**
 * The law of pairs: each call starts once, ends once, in order of index, and nothing follows the end. Returns the
 * violation.
 */
export function brokenPairs(events: readonly TurnEvent[]): string | undefined {
  const open = new Set<string>();
  const started = new Map<number, number>();
  const ended = new Set<number>();
  for (const event of events) {
    if (event.type === 'note' || event.type === 'usage' || event.type === 'turn-start') continue;
    if (ended.has(event.choice)) return `${event.type} after the end`;
    if (event.type === 'turn-end') ended.add(event.choice);
    if (event.type === 'tool-start') {
      const expected = started.get(event.choice) ?? 0;
      if (event.index !== expected) return `call ${event.index} where ${expected} was expected`;
      started.set(event.choice, expected + 1);
      open.add(`${event.choice} ${event.index}`);
    }
    if (event.type === 'tool-delta' && !open.has(`${event.choice} ${event.index}`))
      return 'arguments outside of a call';
    if (event.type === 'tool-end' && !open.delete(`${event.choice} ${event.index}`)) return 'an end without a start';
  }
  return open.size > 0 ? 'a call without an end' : undefined;
}
