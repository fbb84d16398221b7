import { runSync } from '@callsmith/stream';
import { fold, ToolTable, type UpstreamEvent } from '@callsmith/turn';
import { describe, expect, it } from 'vitest';
import { type AnswerBounds, defaultBounds } from './answer-bounds.ts';
import { parseCalls } from './parse-calls.ts';

const tools = new ToolTable([{ name: 'git_status', parameters: { type: 'object', properties: {} } }]);
const call = '<tool_call>{"name": "git_status", "arguments": {}}</tool_call>\n';

function read(events: UpstreamEvent[], bounds?: Partial<AnswerBounds>, offered = tools) {
  const stage = parseCalls({
    tools: offered,
    dialect: 'hermes',
    strategyUsed: 'prompt',
    holdBytes: 1024,
    toolChoice: 'auto',
    parallel: true,
    ...(bounds && { bounds: { ...defaultBounds, ...bounds } }),
  });
  return fold(runSync(stage, events).out).choices;
}

const text = (piece: string, choice = 0): UpstreamEvent => ({ type: 'text-delta', choice, text: piece });
const pieces = (of: string, size: number): UpstreamEvent[] =>
  Array.from({ length: Math.ceil(of.length / size) }, (_, place) => text(of.slice(place * size, (place + 1) * size)));
const stop: UpstreamEvent = { type: 'turn-end', choice: 0, reason: 'stop' };

describe('D-39 an answer beyond its bounds ends with length and a finding', () => {
  it.each([7, 1000, 100_000])('text, in pieces of %d', (size) => {
    for (const offered of [tools, new ToolTable([])]) {
      const [choice] = read([...pieces('word '.repeat(5000), size), stop], { text: 20_001 }, offered);
      expect(choice?.text).toBe('word '.repeat(5000).slice(0, 20_001));
      expect(choice).toMatchObject({ reason: 'length', calls: [] });
      expect(choice?.notes).toEqual([
        { class: 'Truncated', stage: 'upstream', detail: 'the response was ended at 20001 characters of text' },
      ]);
    }
  });

  it('fields that are only passed on, as log probabilities are', () => {
    const token = (size: number) => ({ token: 'a', logprob: -1, top_logprobs: [{ token: 'x'.repeat(size) }] });
    const withLogprobs = (size: number): UpstreamEvent => ({
      type: 'text-delta',
      choice: 0,
      text: 'a',
      extra: { logprobs: { content: [token(size)] } },
    });
    const endless = Array.from({ length: 40 }, () => withLogprobs(1024 * 1024));
    const [choice] = read([...endless, stop]);
    expect(choice?.reason).toBe('length');
    expect(choice?.text.length).toBeLessThan(33);
    expect(choice?.notes[0]?.detail).toBe('the response was ended at 33554432 characters of fields that are passed on');
    const [whole] = read([...Array.from({ length: 4000 }, () => withLogprobs(5)), stop]);
    expect([whole?.reason, whole?.text.length]).toEqual(['stop', 4000]);
  });

  it('text exactly as long as the bound is whole', () => {
    const [choice] = read([...pieces('word '.repeat(4000), 7), stop], { text: 20_000 });
    expect(choice).toMatchObject({ text: 'word '.repeat(4000), reason: 'stop', notes: [] });
  });

  it('reasoning counts as text, and all choices count together', () => {
    const choices = read(
      [
        { type: 'reasoning-delta', choice: 0, text: 'a'.repeat(60) },
        text('b'.repeat(30), 1),
        text('c'.repeat(30), 2),
        { type: 'turn-end', choice: 1, reason: 'stop' },
      ],
      { text: 100 },
    );
    expect(choices.map((choice) => [choice?.reasoning, choice?.text, choice?.reason])).toEqual([
      ['a'.repeat(60), '', 'length'],
      ['', 'b'.repeat(30), 'length'],
      ['', 'c'.repeat(10), 'length'],
    ]);
  });

  it.each([1, 50, 1_000_000])('calls in text, in pieces of %d', (size) => {
    const [choice] = read([...pieces(call.repeat(40), size), stop], { calls: 25 });
    expect(choice?.calls).toHaveLength(25);
    expect(choice).toMatchObject({ reason: 'length', notes: [{ class: 'Truncated' }] });
    const [whole] = read([...pieces(call.repeat(25), size), stop], { calls: 25 });
    expect(whole).toMatchObject({ reason: 'tool_calls', notes: [] });
  });

  it.each([7, 50, 1_000_000])('escaped calls, which count only at the end of an answer, in pieces of %d', (size) => {
    const wide = call.replace('<tool_call>', '＜tool_call＞').replace('</tool_call>', '＜/tool_call＞');
    for (const escaped of [wide, call.replaceAll('<', '&lt;').replaceAll('>', '&gt;')]) {
      const [choice] = read([...pieces(escaped.repeat(40), size), stop], { calls: 25 });
      expect(choice?.calls).toHaveLength(25);
      expect(choice).toMatchObject({ text: '', reason: 'length' });
    }
  });

  it('calls within one block, in a fence and in reasoning', () => {
    const list = `[${Array(40).fill('{"name": "git_status", "arguments": {}}').join(', ')}]`;
    for (const around of [`<tool_call>${list}</tool_call>`, `\`\`\`json\n{"tool_calls": ${list}}\n\`\`\`\n`]) {
      const [choice] = read([text(around), stop], { calls: 25 });
      expect(choice?.calls).toHaveLength(25);
      expect(choice?.reason).toBe('length');
    }
    const [choice] = read([text(`<think>${call.repeat(40)}`), stop], { calls: 25 });
    expect(choice?.calls).toHaveLength(25);
    expect(choice?.reason).toBe('length');
  });

  it('native calls, and their arguments', () => {
    const fragments = (count: number, json: string): UpstreamEvent[] =>
      Array.from({ length: count }, (_, index) => ({
        type: 'call-fragment',
        choice: 0,
        index,
        id: `c${index}`,
        name: 'git_status',
        arguments: json,
      }));
    const [many] = read([...fragments(40, '{}'), stop], { calls: 25 });
    expect(many?.calls).toHaveLength(25);
    expect(many?.reason).toBe('length');
    const [long] = read([...fragments(40, `{"a":"${'x'.repeat(100)}"}`), stop], { arguments: 3000 });
    expect(long?.calls.length).toBeLessThan(30);
    expect(long).toMatchObject({ reason: 'length' });
  });

  it('nothing is read of what comes behind the end', () => {
    const [choice] = read([text('x'.repeat(200)), text(call), stop], { text: 100 });
    expect(choice).toMatchObject({ text: 'x'.repeat(100), calls: [], reason: 'length' });
  });
});
