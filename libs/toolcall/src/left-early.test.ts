import { ToolTable, type UpstreamEvent } from '@callsmith/turn';
import { expect, it } from 'vitest';
import { dialects } from './dialects/index.ts';
import { parseCalls } from './parse-calls.ts';

const parameters = { type: 'object', properties: { command: { type: 'string' } } };
const tools = new ToolTable([{ name: 'bash', parameters }]);
const past = { id: 'functions.bash:0', name: 'bash', arguments: '{"command": "ls"}' };

for (const dialect of dialects)
  it(`D-19 ${dialect.name}: a call behind which the upstream is stopped is clean without its closing marker`, () => {
    let whole = false;
    const classes: unknown[] = [];
    const sink = parseCalls({
      tools,
      dialect: dialect.name,
      strategyUsed: 'prompt',
      holdBytes: 1024,
      toolChoice: 'auto',
      parallel: false,
    })({
      push: (event) => {
        if (event.type === 'tool-end') whole = event.whole;
        if (event.type === 'note') classes.push(event.note.class);
      },
      flush: () => {},
      end: () => {},
    });
    const callText = dialect.renderCall(past);
    for (let at = 0; at < callText.length && !whole; at++) {
      const event: UpstreamEvent = { type: 'text-delta', choice: 0, text: callText.slice(at, at + 1) };
      sink.push(event);
    }
    sink.push({ type: 'turn-end', choice: 0, reason: 'tool_calls' });
    sink.end();
    expect([whole, classes]).toEqual([true, []]);
  });

/** What goes out as text when the upstream is stopped behind the first whole call, `modelText` having come in pieces of `size`. */
function textOfStopped(dialect: string, modelText: string, size: number): string {
  let whole = false;
  let text = '';
  const sink = parseCalls({
    tools,
    dialect,
    strategyUsed: 'prompt',
    holdBytes: 1024,
    toolChoice: 'auto',
    parallel: false,
  })({
    push: (event) => {
      if (event.type === 'tool-end') whole = event.whole;
      if (event.type === 'text-delta') text += event.text;
    },
    flush: () => {},
    end: () => {},
  });
  for (let at = 0; at < modelText.length && !whole; at += size)
    sink.push({ type: 'text-delta', choice: 0, text: modelText.slice(at, at + size) });
  sink.push({ type: 'turn-end', choice: 0, reason: 'tool_calls' });
  sink.end();
  return text;
}

for (const dialect of dialects)
  it(`${dialect.name}: a closing marker that has begun when the upstream is stopped does not go out as text`, () => {
    const callText = dialect.renderCall(past);
    const texts: Record<number, string> = {};
    for (let size = 1; size <= callText.length; size++) {
      const text = textOfStopped(dialect.name, callText, size);
      if (text !== '') texts[size] = text;
    }
    expect(texts).toEqual({});
  });
