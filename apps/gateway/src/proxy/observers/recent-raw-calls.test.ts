import { ToolTable, type Turn, type UpstreamEvent } from '@callsmith/turn';
import { expect, it } from 'vitest';
import { newRecord } from '../record/request-record.ts';
import { RecentRawCalls } from './recent-raw-calls.ts';

/** What the ring keeps of one answer. */
function kept(...events: UpstreamEvent[]): readonly unknown[] {
  const ring = new RecentRawCalls(1);
  const record = newRecord('req_1', '/v1/chat/completions', 'other');
  record.request.turn = { tools: new ToolTable([{ name: 'f' }]) } as Turn;
  const listeners = ring.observerFactory(record).attempt?.();
  for (const event of events) listeners?.upstreamEvent?.(event);
  listeners?.turnEvent?.({ type: 'tool-start', choice: 0, index: 0, id: 'call_1', name: 'f' });
  return ring.newest(1)[0]?.chunks ?? [];
}
const text = (content: string): UpstreamEvent => ({ type: 'text-delta', choice: 0, text: content });
const piece = (args: unknown): UpstreamEvent =>
  ({ type: 'call-fragment', choice: 0, index: 0, arguments: args }) as UpstreamEvent;

it('M-7 keeps 8 000 characters of a response, however long it is and however it is chunked', () => {
  const long = 'x'.repeat(1_000_000);
  expect(kept(text('ab'), text(long), text('c'))).toEqual(['ab', 'x'.repeat(7_998)]);
  expect(kept(text(long), piece('{"a":'), piece(long))).toEqual([
    { choice: 0, index: 0, arguments: '{"a":' },
    { choice: 0, index: 0, arguments: 'x'.repeat(7_955) },
  ]);
  expect(JSON.stringify(kept(piece({ a: long }))).length).toBeLessThan(8_100);
  expect(kept(text('ab'), { type: 'call-fragment', choice: 0, index: 0, name: long })).toEqual([]);
  expect(kept(piece({ a: 1 }))).toEqual([{ choice: 0, index: 0, arguments: { a: 1 } }]);
});
