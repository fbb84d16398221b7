import { pipe, runSync } from '@callsmith/stream';
import { type Folded, fold, ToolTable, type Turn, type UpstreamEvent } from '@callsmith/turn';
import { describe, expect, it } from 'vitest';
import type { Dialect } from '../dialect.ts';
import { dialects } from '../dialects/index.ts';
import { parseCalls } from '../parse-calls.ts';
import { wordJoiner } from './escape-markers.ts';
import { escaperFor, liveMarkers } from './live-markers.ts';
import { preparePrompt } from './prompt.ts';
import { unescapeEvents } from './unescape-events.ts';

const tools = new ToolTable([
  {
    name: 'write_file',
    parameters: {
      type: 'object',
      properties: { path: { type: 'string' }, content: { type: 'string' } },
      required: ['path', 'content'],
    },
  },
]);

/** A file that holds every marker there is, and word joiners of its own. */
const fileFor = (dialect: Dialect): string =>
  `${liveMarkers(dialect, tools)
    .map((marker, at) => `line ${at}: ${marker}`)
    .join('\n')}\n${liveMarkers(dialect, tools).join('')}\n<${wordJoiner}tool_call> ${wordJoiner} "quoted" \\ end`;

function parsed(dialect: Dialect, text: string, size: number): Folded {
  const events: UpstreamEvent[] = [];
  for (let at = 0; at < text.length; at += size)
    events.push({ type: 'text-delta', choice: 0, text: text.slice(at, at + size) });
  const read = parseCalls({
    tools,
    dialect: dialect.name,
    strategyUsed: 'prompt',
    holdBytes: 64,
    toolChoice: 'auto',
    parallel: true,
  });
  const { out } = runSync(pipe(read, unescapeEvents(escaperFor(dialect, tools))), [
    ...events,
    { type: 'turn-end', choice: 0, reason: 'stop' },
  ]);
  return fold(out);
}

const turn = (text: string): Turn => ({
  model: 'm',
  messages: [
    { role: 'user', content: text },
    {
      role: 'assistant',
      content: null,
      calls: [{ id: 'call_1', name: 'write_file', arguments: '{"path":"a","content":"b"}' }],
    },
    { role: 'tool', callId: 'call_1', content: text },
  ],
  tools,
  toolChoice: 'auto',
  parallel: true,
  stream: true,
  includeUsage: true,
  n: 1,
  sampling: {},
});

const expressible = dialects.filter(
  (dialect) =>
    dialect.canExpress?.(
      { id: 'call_1', name: 'write_file', arguments: '{"path":"a.txt","content":"x\\ny"}' },
      tools.get('write_file'),
    ) !== false,
);

describe.each(expressible.map((dialect) => [dialect.name, dialect] as const))('D-14 in %s', (_, dialect) => {
  it.each([1, 100_000])(
    'a file that holds every marker, read and written back by the model, is byte-equal (pieces of %i)',
    (size) => {
      const file = fileFor(dialect);
      const shown = escaperFor(dialect, tools).escape(file);
      const rendered = dialect.renderCall({
        id: 'call_1',
        name: 'write_file',
        arguments: JSON.stringify({ path: 'a.txt', content: shown }),
      });
      const calls = parsed(dialect, rendered, size).choices[0]?.calls ?? [];
      expect(calls.map((call) => call.name)).toEqual(['write_file']);
      expect(JSON.parse(calls[0]?.arguments ?? '')).toEqual({ path: 'a.txt', content: file });
    },
  );

  it('security 17: a quoted file is text, byte for byte, and no call', () => {
    const shown = `The file says: ${escaperFor(dialect, tools).escape(fileFor(dialect))}`;
    const choice = parsed(dialect, shown, 5).choices[0];
    expect(choice?.calls).toEqual([]);
    expect(choice?.text).toBe(`The file says: ${fileFor(dialect)}`);
  });

  it('security 17: nothing in a prompt acts but what we wrote', () => {
    const file = fileFor(dialect);
    const promptText = (text: string): string =>
      preparePrompt(turn(text), dialect)
        .messages.slice(1)
        .map((message) => message.content)
        .join('\n');
    for (const marker of liveMarkers(dialect, tools))
      expect(promptText(file).split(marker).length, marker).toBe(promptText('plain').split(marker).length);
  });
});

it('most dialects are held to it', () => {
  expect(expressible.length).toBeGreaterThan(40);
});
