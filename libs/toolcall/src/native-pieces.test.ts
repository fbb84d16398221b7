import { runSync } from '@callsmith/stream';
import { fold, ToolTable, type UpstreamEvent } from '@callsmith/turn';
import { expect, it } from 'vitest';
import { readCalls } from './read-calls.ts';

const tools = new ToolTable([
  {
    name: 'editor',
    parameters: {
      type: 'object',
      properties: { path: { type: 'string' }, new_text: { type: 'string' } },
      required: ['path', 'new_text'],
    },
  },
]);
const raw = JSON.stringify(JSON.stringify({ path: '/w/out.txt', new_text: 'WROTE\n' }));
for (const holdBytes of [1024, null]) {
  for (const size of [1, 4, 7, 1000]) {
    it(`D-7 arguments that are JSON inside a string are read whole, hold ${holdBytes}, in pieces of ${size}`, () => {
      const events: UpstreamEvent[] = [
        { type: 'call-fragment', choice: 0, index: 0, id: 'a', name: 'editor', arguments: '' },
      ];
      for (let at = 0; at < raw.length; at += size)
        events.push({ type: 'call-fragment', choice: 0, index: 0, arguments: raw.slice(at, at + size) });
      events.push({ type: 'turn-end', choice: 0, reason: 'tool_calls' });
      const { out } = runSync(
        readCalls({ tools, dialect: 'auto', strategyUsed: 'native', holdBytes, toolChoice: 'auto', parallel: true }),
        events,
      );
      expect(fold(out).choices[0]?.calls.map((call) => call.arguments)).toEqual([
        '{"path":"/w/out.txt","new_text":"WROTE\\n"}',
      ]);
    });
  }
}
