import { runSync } from '@callsmith/stream';
import type { TurnEvent } from '@callsmith/turn';
import { expect, it } from 'vitest';
import { mergeDeltas } from './merge-deltas.ts';

const text = (content: string, choice = 0): TurnEvent => ({ type: 'text-delta', choice, text: content });
const thought = (content: string): TurnEvent => ({ type: 'reasoning-delta', choice: 0, text: content });

/** Pushes all, flushes once. */
function together(events: readonly TurnEvent[]): TurnEvent[] {
  const out: TurnEvent[] = [];
  const sink = mergeDeltas()({ push: (event) => out.push(event), flush: () => {}, end: () => {} });
  for (const event of events) sink.push(event);
  sink.flush();
  return out;
}

it('what came in one read is sent as one delta, in order', () => {
  expect(together([text('a'), text('b'), thought('c'), text('d'), text('e'), text('f', 1), text('g', 1)])).toEqual([
    text('ab'),
    thought('c'),
    text('de'),
    text('fg', 1),
  ]);
});

it('nothing waits for the next read, and nothing is left at the end', () => {
  expect(runSync(mergeDeltas(), [text('a'), text('b')]).out).toEqual([text('a'), text('b')]);
  const start: TurnEvent = { type: 'tool-start', choice: 0, index: 0, id: 'call_1', name: 'f' };
  expect(together([text('a'), start, text('b')])).toEqual([text('a'), start, text('b')]);
});

it('unknown fields stay with their own delta', () => {
  const marked: TurnEvent = { type: 'text-delta', choice: 0, text: 'b', extra: { logprobs: null } };
  expect(together([text('a'), marked, text('c')])).toEqual([text('a'), marked, text('c')]);
});
