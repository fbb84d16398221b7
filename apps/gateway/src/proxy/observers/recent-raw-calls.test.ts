import { memoryUsage } from 'node:process';
import { ToolTable, type Turn, type UpstreamEvent } from '@callsmith/turn';
import { expect, it } from 'vitest';
import { collectGarbage } from '../../boot/collect-garbage.ts';
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
  expect(kept(piece(''), piece('{"a":'), piece('1}'))).toEqual([
    { choice: 0, index: 0, arguments: '' },
    { choice: 0, index: 0, arguments: '{"a":' },
    { choice: 0, index: 0, arguments: '1}' },
  ]);
});

it('M-7 pieces do not retain the network reads that they were cut from', async () => {
  const ring = new RecentRawCalls(100);
  const reads = (request: number, kind: (content: string) => UpstreamEvent): UpstreamEvent[] =>
    Array.from({ length: 200 }, (_, at) => kind(`${'-'.repeat(10_000)}${request},${at},some text`.slice(-30)));
  const record = newRecord('req_1', '/v1/chat/completions', 'other');
  record.request.turn = { tools: new ToolTable([{ name: 'f' }]) } as Turn;
  await collectGarbage();
  const before = memoryUsage().heapUsed;
  for (let request = 0; request < 100; request += 1) {
    const listeners = ring.observerFactory(record).attempt?.();
    for (const event of reads(request, request % 2 === 0 ? text : piece)) listeners?.upstreamEvent?.(event);
    listeners?.turnEvent?.({ type: 'tool-start', choice: 0, index: 0, id: 'call_1', name: 'f' });
  }
  await collectGarbage();
  expect(memoryUsage().heapUsed - before).toBeLessThan(40e6);
  expect(ring.newest(2).map(({ chunks }) => chunks.length)).toEqual([160, 200]);
});
