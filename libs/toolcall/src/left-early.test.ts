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
    const said = dialect.renderCall(past);
    for (let at = 0; at < said.length && !whole; at++) {
      const event: UpstreamEvent = { type: 'text-delta', choice: 0, text: said.slice(at, at + 1) };
      sink.push(event);
    }
    sink.push({ type: 'turn-end', choice: 0, reason: 'tool_calls' });
    sink.end();
    expect([whole, classes]).toEqual([true, []]);
  });
