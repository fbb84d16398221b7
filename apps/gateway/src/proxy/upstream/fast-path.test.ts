import { inboundAdapters, outboundAdapters } from '@callsmith/protocols';
import { pipe, type Sink, type Stage } from '@callsmith/stream';
import { defaultBounds, parseCalls } from '@callsmith/toolcall';
import { ToolTable, type Turn, type TurnEvent, type UpstreamEvent } from '@callsmith/turn';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newResponseSummary } from '../record/response-summary.ts';
import type { StreamReply } from '../response/stream-reply.ts';
import { StreamResponse } from '../response/stream-response.ts';
import { responsePipe } from './response-pipe.ts';

const turn: Turn = {
  model: 'm',
  messages: [{ role: 'user', content: 'go' }],
  tools: new ToolTable([
    { name: 'look', description: '', parameters: { type: 'object', properties: { at: { type: 'string' } } } },
  ]),
  toolChoice: 'auto',
  parallel: true,
  stream: true,
  includeUsage: true,
  n: 2,
  sampling: {},
};

/** Has all text come as events. */
const withoutPushText: Stage<UpstreamEvent, UpstreamEvent> = (next) => ({
  push: (event) => next.push(event),
  flush: () => next.flush(),
  end: (fault) => next.end(fault),
});

/** Notes what is taken without an event. */
const noting =
  (taken: string[]): Stage<UpstreamEvent, UpstreamEvent> =>
  (next) => ({
    ...withoutPushText(next),
    pushText(text) {
      if (!next.pushText?.(text)) return false;
      taken.push(text);
      return true;
    },
  });

/** What one network read brings: chunks of bytes, one after the other. */
type Read = readonly Uint8Array[];

/** Everything that comes of a stream. */
function resultOf(
  reads: readonly Read[],
  fast: boolean,
  {
    toolChoice = 'auto',
    model = 'm',
    taken = [],
    textBound = defaultBounds.text,
  }: { toolChoice?: 'auto' | 'none'; model?: string; taken?: string[]; textBound?: number } = {},
) {
  const written: string[] = [];
  let gathered = '';
  const summary = newResponseSummary();
  const upstreamEvents: UpstreamEvent[] = [];
  const turnEvents: TurnEvent[] = [];
  const listeners = {
    payload: [],
    upstreamEvent: [(event: UpstreamEvent) => upstreamEvents.push(event)],
    turnEvent: [(event: TurnEvent) => turnEvents.push(event)],
  };
  let opened = false;
  const reply = {
    get opened() {
      return opened;
    },
    open: () => {
      opened = true;
    },
    push: (text: string) => {
      gathered += text;
    },
    flush: () => {
      if (gathered !== '') written.push(gathered);
      gathered = '';
    },
    end: () => written.push(gathered),
  } as unknown as StreamReply;
  const head = { id: 'chatcmpl-1', model, createdAt: 1 };
  const sendBody = { whole: () => {}, fault: () => {} };
  const response = new StreamResponse(inboundAdapters['chat-completions'], turn, head, { summary, reply, sendBody });
  let ids = 0;
  const calls = parseCalls({
    tools: turn.tools,
    dialect: 'auto',
    strategyUsed: 'native',
    holdBytes: 1024,
    toolChoice,
    parallel: true,
    bounds: { ...defaultBounds, text: textBound },
    newCallId: () => `call_${ids++}`,
  });
  let fault: string | undefined;
  const end: Sink<TurnEvent> = {
    push: (event) => response.push(event),
    pushText: (text) => response.pushText(text),
    flush: () => response.flush(),
    end: (why) => {
      fault = why?.message;
      response.end(why);
    },
  };
  const parse = pipe(fast ? noting(taken) : withoutPushText, calls);
  const { bytes, events } = responsePipe({ adapter: outboundAdapters['openai-chat'], parse }, listeners);
  const sink = bytes(events(end));
  const committed: boolean[] = [];
  for (const chunks of reads) {
    for (const chunk of chunks) sink.push(chunk);
    sink.flush();
    committed.push(response.committed);
  }
  sink.end();
  const { calls: sent, notes, usage, reason, textLength, answer } = summary;
  const account = { sent, notes, usage, reason, textLength, answer: answer.whole() };
  return { written, committed, turnEvents, upstreamEvents, account, fault };
}

const event = (delta: object, choice = 0, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'é', choices: [{ index: choice, delta, logprobs: null, finish_reason: finish }] })}\n\n`;

const words = fc.constantFrom(
  'word',
  ' word',
  'word ',
  ' ',
  '  two',
  '\n',
  'a\nb',
  '<',
  'tool_call>',
  '<tool_call>',
  ' <tool_call>',
  ' a <tool_call> tag',
  '<tool_call>\n{"name":"look","arguments":{"at":"it"}}\n</tool_call>',
  '`',
  '```',
  '{"name":"look","arguments":{}}',
  '[look(at="it")]',
  '<think>',
  '</think>',
  '<|im_end|>',
  '"quoted"',
  'back\\slash',
  'ü',
  '🎉',
  '\ud83c',
  '\udf89',
  'Observation:',
  'it is said,',
  'and so on.',
);
const one = fc.oneof(
  { weight: 12, arbitrary: words.map((content) => event({ content })) },
  { weight: 2, arbitrary: fc.string({ maxLength: 8 }).map((content) => event({ content })) },
  { weight: 1, arbitrary: words.map((content) => event({ content }, 1)) },
  { weight: 1, arbitrary: words.map((content) => event({ reasoning_content: content })) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      event({ tool_calls: [{ index: 0, id: 'a', function: { name: 'look', arguments: '{"at":' } }] }),
      event({ tool_calls: [{ index: 0, function: { arguments: '"it"}' } }] }),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      ': comment\n\n',
      'data: \n\n',
      'event: error\n',
      event({ content: 'word', role: 'assistant' }),
      event({}, 0, 'stop'),
      `data: {"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2}}\n\n`,
      'data: no json\n\n',
      'data: [DONE]\n\n',
    ),
  },
);
/** Events, each a chunk; some cut in two, some joined with the next, some reads of several chunks. */
const reads = fc
  .array(fc.tuple(one, fc.constantFrom('alone', 'alone', 'alone', 'with', 'joined', 'cut'), fc.nat(400)), {
    minLength: 1,
    maxLength: 60,
  })
  .map((parts) => {
    const all: Uint8Array[][] = [];
    let bytes = Buffer.alloc(0);
    let read: Uint8Array[] = [];
    for (const [text, how, at] of parts) {
      bytes = Buffer.concat([bytes, Buffer.from(text)]);
      if (how === 'joined') continue;
      if (how === 'cut') {
        const cut = Math.min(at, bytes.length);
        all.push([...read, bytes.subarray(0, cut)], [bytes.subarray(cut)]);
        read = [];
      } else {
        read.push(bytes);
        if (how === 'alone') {
          all.push(read);
          read = [];
        }
      }
      bytes = Buffer.alloc(0);
    }
    all.push([...read, bytes]);
    return all;
  });

it('gives the same bytes as events do, and the same reports to all observers', () => {
  fc.assert(
    fc.property(
      fc.tuple(reads, fc.constantFrom('auto' as const, 'none' as const), fc.constantFrom('m', 'é')),
      ([all, toolChoice, model]) => {
        expect(resultOf(all, true, { toolChoice, model })).toEqual(resultOf(all, false, { toolChoice, model }));
      },
    ),
    { numRuns: Number(process.env.PROPERTY_RUNS ?? 2000) },
  );
});

/** Each text as one event in a read of its own. */
const alone = (...contents: string[]): Read[] => contents.map((content) => [Buffer.from(event({ content }))]);

describe.each(['[look(at="it")]', '{"name":"look","arguments":{"at":"it"}}', 'Tool: look(at="it")'])(
  'after %s, which is a call only if no prose follows',
  (call) => {
    const pieces = [' ', '.', ')', ';', 'word', ' word', '\n', '<tool_call>', ' a <tool_call> tag'];
    it.each(pieces.flatMap((one) => pieces.map((two) => [one, two])))('%j and %j give what events give', (one, two) => {
      for (const before of [[], ['So. '], ['So\n']]) {
        const all = alone(...before, call, one, two, ' on');
        expect(resultOf(all, true)).toEqual(resultOf(all, false));
      }
    });
  },
);

it.each([2, 5, 6, 9, 10, 11, 14])('D-39 ends at the text limit, at %i characters', (textBound) => {
  const all = alone('It is', ' so', ' and', ' on', ' it', ' goes');
  expect(resultOf(all, true, { textBound })).toEqual(resultOf(all, false, { textBound }));
});

it('is taken for plain text only, and for nothing in which a call may begin', () => {
  const taken: string[] = [];
  const contents = [
    'It',
    ' is',
    ' plain',
    ' text',
    ' and <b> it',
    ' so',
    '\n',
    'on',
    ' for',
    ' if',
    ' you',
    ' "on"',
    ' the',
    ' end',
  ];
  resultOf(
    contents.map((content) => [Buffer.from(event({ content }))]),
    true,
    { taken },
  );
  expect(taken).toEqual([' is', ' plain', ' text', ' and <b> it', ' so', ' for', ' the', ' end']);
});

describe('what the pipe never causes, but every stage must handle', () => {
  /** A sink that keeps what it gets. */
  const kept = <T>(): { out: (T | string)[]; sink: Sink<T> } => {
    const out: (T | string)[] = [];
    const sink: Sink<T> = {
      push: (value) => out.push(value),
      pushText: (text) => out.push(text) > 0,
      flush: () => {},
      end: () => {},
    };
    return { out, sink };
  };
  const calls = { tools: turn.tools, dialect: 'auto', strategyUsed: 'native', holdBytes: 1024 } as const;
  const head = { id: 'chatcmpl-1', model: 'm', createdAt: 1 };

  it.each(['auto', 'none'] as const)(
    'the call parser accepts no text after the end of its choice: %s',
    (toolChoice) => {
      const { out, sink } = kept<TurnEvent>();
      const parser = parseCalls({ ...calls, toolChoice, parallel: true })(sink);
      parser.push({ type: 'text-delta', choice: 0, text: 'It is' });
      expect(parser.pushText?.(' so')).toBe(true);
      parser.push({ type: 'turn-end', choice: 0, reason: 'stop' });
      const before = out.length;
      expect(parser.pushText?.(' and')).toBe(false);
      parser.end();
      expect(parser.pushText?.(' more')).toBe(false);
      expect(out).toHaveLength(before);
    },
  );

  it('the call parser sends nothing for white space that waits for text', () => {
    const { out, sink } = kept<TurnEvent>();
    const { pushText: _, ...events } = sink;
    const parser = parseCalls({ ...calls, toolChoice: 'auto', parallel: true })(events);
    const first: UpstreamEvent = { type: 'text-delta', choice: 0, text: 'It is' };
    parser.push(first);
    expect(parser.pushText?.(' ')).toBe(true);
    expect(out).toEqual([first]);
  });

  it('the frames accept no text after the end of their choice', () => {
    const { out, sink } = kept<string>();
    const frames = inboundAdapters['chat-completions'].streamFrames(turn, head)(sink);
    expect(frames.pushText?.('early')).toBe(false);
    frames.push({ type: 'turn-start', choice: 0, id: 'a', model: 'm', createdAt: 1 });
    expect(frames.pushText?.('text')).toBe(true);
    frames.push({ type: 'turn-end', choice: 0, reason: 'stop' });
    const before = out.length;
    expect(frames.pushText?.('late')).toBe(false);
    expect(out).toHaveLength(before);
  });

  it('text by the fast path is final for the client, as any text is', () => {
    const reply = { opened: true, open: () => {}, push: () => {}, flush: () => {}, end: () => {} };
    const response = new StreamResponse(inboundAdapters['chat-completions'], turn, head, {
      summary: newResponseSummary(),
      reply: reply as unknown as StreamReply,
      sendBody: { whole: () => {}, fault: () => {} },
    });
    response.push({ type: 'turn-start', choice: 0, id: 'a', model: 'm', createdAt: 1 });
    expect([response.committed, response.pushText('text'), response.committed]).toEqual([false, true, true]);
  });
});
