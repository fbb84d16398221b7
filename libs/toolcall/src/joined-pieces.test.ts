import { runSync } from '@callsmith/stream';
import { seeded } from '@callsmith/testing';
import { fold, ToolTable, type TurnEvent, type UpstreamEvent } from '@callsmith/turn';
import { describe, expect, it } from 'vitest';
import { type ParseCallsOptions, parseCalls } from './parse-calls.ts';

const tools = new ToolTable([{ name: 'git_status', parameters: { type: 'object', properties: {} } }]);
const call = '<tool_call>{"name": "git_status", "arguments": {}}</tool_call>';

/** Beginnings of calls that never come: nearly each of their pieces resumes a grammar. */
const hostile = '<tool_call>{"name": <think>'.repeat(400);

const options: ParseCallsOptions = {
  tools,
  dialect: 'hermes',
  dialectDeclared: false,
  strategyUsed: 'prompt',
  holdBytes: 1024,
  toolChoice: 'auto',
  parallel: true,
  newCallId: () => 'call_1',
};

const parse = (onEvent: (event: TurnEvent) => void) =>
  parseCalls(options)({ push: onEvent, flush: () => {}, end: () => {} });

function* pieces(text: string, size: number): Generator<UpstreamEvent> {
  for (let at = 0; at < text.length; at += size)
    yield { type: 'text-delta', choice: 0, text: text.slice(at, at + size) };
}

describe('pieces are joined if too many are costly', () => {
  it.each([1, 2, 7])('what follows waits for at most 128 characters, in pieces of %d', (size) => {
    let out = '';
    const sink = parse((event) => {
      if (event.type === 'text-delta' || event.type === 'reasoning-delta') out += event.text;
    });
    let given = 0;
    for (const event of pieces(`${hostile}</think>\n`, size)) sink.push(event);
    out = '';
    for (const event of pieces('some words, and more of them, '.repeat(40), size)) {
      sink.push(event);
      given += size;
      expect(given - out.length).toBeLessThan(128 + 2 * size);
    }
    expect(out.length).toBeGreaterThan(1000);
  });

  it('prose and code in pieces of a token or two go out as they come', () => {
    let out = 0;
    const sink = parse((event) => {
      if (event.type === 'text-delta') out += event.text.length;
    });
    const text =
      'If `a < b` then look at <b>this</b>:\n\n```ts\nconst a = [1, { b: 2 }];\n```\n\n- and, so on.\n'.repeat(400);
    let given = 0;
    for (const event of pieces(text, 7)) {
      sink.push(event);
      given += 7;
      expect(given - out).toBeLessThan(16);
    }
  });

  it('a native call and native reasoning stand behind the text that waits', () => {
    for (let length = 1; length <= 40; length++) {
      const seen: string[] = [];
      const sink = parse((event) => {
        if (event.type === 'text-delta') seen.push(event.text);
        else if (event.type === 'reasoning-delta' || event.type === 'tool-start') seen.push(`{${event.type}}`);
      });
      const words = 'wordswithoutanythingthatmaybeginamarkerxx'.slice(0, length);
      const think = hostile.replaceAll('<think>', '<thin');
      for (const event of pieces(think + words, 1)) sink.push(event);
      sink.push({ type: 'reasoning-delta', choice: 0, text: 'Hm.' });
      for (const event of pieces(think + words, 1)) sink.push(event);
      sink.push({ type: 'call-fragment', choice: 0, index: 0, id: 'c', name: 'git_status', arguments: '{}' });
      sink.push({ type: 'turn-end', choice: 0, reason: 'tool_calls' });
      sink.end();
      expect(seen.join('').replaceAll(think, 'T')).toBe(`T${words}{reasoning-delta}T${words}{tool-start}`);
    }
  });

  const folded = (text: string, size: number) => {
    const stop: UpstreamEvent = { type: 'turn-end', choice: 0, reason: 'stop' };
    return fold(runSync(parseCalls(options), [...pieces(text, size), stop]).out).choices;
  };

  it.each(['', call, `${call}\nThat is all.`, '</think>Done.'])('the end is the same in all pieces: %j', (end) => {
    for (const size of [1, 3, 7, 63, 100])
      expect(folded(hostile + end, size)).toEqual(folded(hostile + end, 1_000_000));
  });

  it('so is any repeated beginning', () => {
    const random = seeded(7);
    const words = [
      '<tool_call>',
      '{"name": ',
      '<think>',
      '</think>',
      '\n',
      '```',
      '[',
      '&lt;tool_call&gt;',
      '＜tool_call＞',
      ' a ',
    ];
    for (let round = 0; round < 40; round++) {
      const unit = Array.from({ length: 4 }, () => words[Math.floor(random() * words.length)]).join('');
      const text = unit.repeat(300) + call;
      for (const size of [1, 5]) expect(folded(text, size), JSON.stringify(unit)).toEqual(folded(text, 1_000_000));
    }
  });
});
