import { runSync } from '@callsmith/stream';
import { cpuMs } from '@callsmith/testing';
import type { TurnEvent } from '@callsmith/turn';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { markerEscaper, wordJoiner } from './escape-markers.ts';
import { plainEscapes } from './escapes.ts';
import { unescapeWhole } from './test-unescape.ts';
import { unescapeEvents } from './unescape-events.ts';

const markers = [
  '<tool_call>',
  '</tool_call>',
  '<<SYS>>',
  '<|im_end|>',
  '<|im_start|>',
  ']<]minimax[>[',
  '[ARGS]',
  '<invoke name=',
  '<x',
  '<｜DSML｜',
  'Action:',
];
const live = markerEscaper(markers);
const unescaped = (text: string): string => unescapeWhole(text, live.byFirst.values());
const piece = fc.oneof(
  fc.constantFrom(
    ...markers,
    wordJoiner,
    wordJoiner + wordJoiner,
    '<',
    '[',
    ']',
    'A',
    '\n',
    '"',
    '\\',
    '/',
    `<${wordJoiner}tool_call>`,
    '<tool',
    '_call>',
    '<<x',
  ),
  fc.string({ unit: 'binary', maxLength: 5 }),
);
const text = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));

const restored = (events: TurnEvent[]): TurnEvent[] => runSync(unescapeEvents(live), events).out;
const textOf = (events: TurnEvent[]): string =>
  events
    .map((event) => (event.type === 'text-delta' ? event.text : event.type === 'tool-delta' ? event.json : ''))
    .join('');
const cutUp = (whole: string, cuts: readonly number[]): string[] => {
  const at = [...new Set([0, ...cuts.map((cut) => cut % (whole.length + 1)), whole.length])].sort((a, b) => a - b);
  return at.slice(1).map((end, index) => whole.slice(at[index], end));
};

describe('D-14 escaping markers', () => {
  it('leaves no live marker in any text', () => {
    fc.assert(
      fc.property(text, (plain) => {
        const shown = live.escape(plain);
        expect(markers.filter((marker) => shown.includes(marker))).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });

  it('is undone exactly, word joiners of the text’s own included', () => {
    fc.assert(
      fc.property(text, (plain) => {
        expect(unescaped(live.escape(plain))).toBe(plain);
      }),
      { numRuns: 2000 },
    );
  });

  it('adds one word joiner behind the first character, one more where one stood', () => {
    expect(live.escape('a <tool_call> b')).toBe(`a <${wordJoiner}tool_call> b`);
    expect(live.escape(`<${wordJoiner}tool_call>`)).toBe(`<${wordJoiner}${wordJoiner}tool_call>`);
    expect(live.escape('<<x')).toBe(`<<${wordJoiner}x`);
  });

  it('leaves text without markers as it is', () => {
    const plain = `a < b, [c], ${wordJoiner} zero width, <tool`;
    expect(live.escape(plain)).toBe(plain);
    expect(unescaped(plain)).toBe(plain);
  });

  it('is linear', () => {
    const hostile = `${'<'.repeat(300_000)}${wordJoiner}${`<${wordJoiner}`.repeat(200_000)}${'<tool_cal'.repeat(50_000)}`;
    const started = cpuMs();
    live.escape(hostile);
    expect(cpuMs() - started).toBeLessThan(1_500);
  });
});

describe('D-39 a long text is escaped in steps', () => {
  const long = fc
    .array(fc.tuple(piece, fc.integer({ min: 1, max: 30_000 })), { minLength: 1, maxLength: 8 })
    .map((pieces) =>
      pieces
        .map(([one, times]) => one.repeat(times))
        .join('')
        .slice(0, 400_000),
    );
  const inSteps = (plain: string): { steps: number; shown: string } => {
    const work = live.escapeInSteps(plain);
    for (let steps = 1; ; steps += 1) {
      const step = work.next();
      if (step.done) return { steps, shown: step.value };
    }
  };

  it('comes to what it comes to at one go, wherever the steps cut it', () => {
    fc.assert(
      fc.property(long, (plain) => {
        const { shown } = inSteps(plain);
        expect(shown === live.escape(plain)).toBe(true);
        expect(markers.filter((marker) => shown.includes(marker))).toEqual([]);
      }),
      { numRuns: 100 },
    );
    for (let lead = 0; lead < 40; lead += 1) {
      const across = `${'x'.repeat(64 * 1024 - lead)}<tool_call>${'y'.repeat(70_000)}<|im_end|>`;
      expect(inSteps(across).shown === live.escape(across)).toBe(true);
    }
  });

  it('no step takes long, whatever the text holds', () => {
    for (const unit of [
      '<tool_call>',
      '<',
      `x${wordJoiner.repeat(9)}`,
      `<${wordJoiner}x`,
      '<tool_cal',
      ']<]',
      'word ',
    ]) {
      const work = live.escapeInSteps(unit.repeat(Math.ceil(4_000_000 / unit.length)));
      const taken: number[] = [];
      for (;;) {
        const started = cpuMs();
        const step = work.next();
        taken.push(cpuMs() - started);
        if (step.done) break;
      }
      expect(taken.length).toBeGreaterThan(5);
      // The first and the last step look at the whole text, at the speed of a search.
      expect(taken.sort((a, b) => a - b).at(-4)).toBeLessThan(25);
    }
  });
});

describe('D-14 reading back', () => {
  it('a file that holds every marker, read and written back by the model, is byte-equal', () => {
    const file = `${markers.join('\n')}\n"quoted" \\ ${wordJoiner} end`;
    const shown = live.escape(file);
    const plain = JSON.stringify({ content: shown });
    for (let at = 1; at < plain.length; at += 1) {
      const events = restored(
        [plain.slice(0, at), plain.slice(at)].map((json) => ({ type: 'tool-delta', choice: 0, index: 0, json })),
      );
      expect(JSON.parse(textOf(events))).toEqual({ content: file });
    }
  });

  it('gives back content as the whole would be given back, however it is cut', () => {
    fc.assert(
      fc.property(text, fc.array(fc.nat(), { maxLength: 12 }), (plain, cuts) => {
        const shown = live.escape(plain);
        expect(
          textOf(restored(cutUp(shown, cuts).map((part) => ({ type: 'text-delta', choice: 0, text: part })))),
        ).toBe(plain);
        expect(
          textOf(restored(cutUp(plain, cuts).map((part) => ({ type: 'text-delta', choice: 0, text: part })))),
        ).toBe(unescaped(plain));
      }),
      { numRuns: 1500 },
    );
  });

  it('gives back arguments in any JSON escaping, however they are cut', () => {
    const escaped = (json: string): string =>
      json.replaceAll('/', '\\/').replaceAll(wordJoiner, '\\u2060').replaceAll('<', '\\u003c');
    fc.assert(
      fc.property(text, fc.array(fc.nat(), { maxLength: 12 }), fc.boolean(), (plain, cuts, escapes) => {
        const json = JSON.stringify({ text: live.escape(plain) });
        const parts = cutUp(escapes ? escaped(json) : json, cuts);
        const events = restored(parts.map((part) => ({ type: 'tool-delta', choice: 0, index: 0, json: part })));
        expect(JSON.parse(textOf(events))).toEqual({ text: plain });
      }),
      { numRuns: 1500 },
    );
  });

  it('D-5: arguments without a word joiner keep their bytes and their pieces', () => {
    const events: TurnEvent[] = ['{"a":1e400,"b":"\\u00e9\\/ <tool', '_call>"}'].map((json) => ({
      type: 'tool-delta',
      choice: 0,
      index: 0,
      json,
    }));
    expect(textOf(restored(events))).toBe(textOf(events));
  });

  it('keeps calls, choices and kinds of text apart, and loses nothing at the end', () => {
    const events: TurnEvent[] = [
      { type: 'text-delta', choice: 0, text: `a<${wordJoiner}` },
      { type: 'text-delta', choice: 1, text: `b<${wordJoiner}tool_` },
      { type: 'reasoning-delta', choice: 0, text: 'tool_call>' },
      { type: 'text-delta', choice: 1, text: 'call>' },
      { type: 'turn-end', choice: 0, reason: 'stop' },
    ];
    const out = restored(events);
    expect(
      out.flatMap((event) => (event.type === 'text-delta' && event.choice === 0 ? [event.text] : [])).join(''),
    ).toBe(`a<${wordJoiner}`);
    expect(
      out.flatMap((event) => (event.type === 'text-delta' && event.choice === 1 ? [event.text] : [])).join(''),
    ).toBe('b<tool_call>');
    expect(out.findIndex((event) => event.type === 'turn-end')).toBe(out.length - 1);
  });

  it('holds nothing while there is no word joiner', () => {
    const out = restored([{ type: 'text-delta', choice: 0, text: 'a <' }]);
    expect(out).toEqual([{ type: 'text-delta', choice: 0, text: 'a <' }]);
  });

  it('is linear in word joiners', () => {
    const hostile = `<${wordJoiner.repeat(100_000)}<${wordJoiner}t${wordJoiner.repeat(100_000)}${`<${wordJoiner}tool_`.repeat(20_000)}`;
    const started = cpuMs();
    restored([...hostile].map((part) => ({ type: 'text-delta', choice: 0, text: part })));
    expect(cpuMs() - started).toBeLessThan(2_000);
  });
});

it('plainEscapes changes no value, and hides no marker', () => {
  fc.assert(
    fc.property(fc.json({ stringUnit: 'binary' }), (json) => {
      const escaped = json.replaceAll('/', '\\/');
      expect(JSON.parse(plainEscapes(escaped))).toEqual(JSON.parse(escaped));
    }),
  );
  expect(plainEscapes('{"a":"\\u003c\\/tool_call\\u003e \\\\u003c \\u0022 \\ud83d"}')).toBe(
    '{"a":"</tool_call> \\\\u003c \\u0022 \\ud83d"}',
  );
});
