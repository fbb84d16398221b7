import { runSync } from '@callsmith/stream';
import { Fault, type JsonValue, type Turn, type TurnEvent } from '@callsmith/turn';
import { describe, expect, it } from 'vitest';
import { start, text } from '../test-events.ts';
import { gemini } from './adapter.ts';
import { geminiArray } from './array-adapter.ts';

const contents: JsonValue = [{ role: 'user', parts: [{ text: 'hi' }] }];
const turn: Turn = gemini.parseRequest(
  { model: 'm', contents, stream: true },
  { maxDepth: 64, maxMessages: 10, maxTools: 10 },
);
const newHead = () => ({ id: 'gen_1', model: 'public', createdAt: 1_700_000_000 });
const events: readonly TurnEvent[] = [
  start,
  text('a } ] "'),
  text('\n🤔'),
  { type: 'tool-start', choice: 0, index: 0, id: 'call_1', name: 'look' },
  { type: 'tool-delta', choice: 0, index: 0, json: '{"at":[1e400]}' },
  { type: 'tool-end', choice: 0, index: 0, whole: true },
  { type: 'turn-end', choice: 0, reason: 'tool_calls' },
];
const fault = new Fault('upstream_busy', 'Busy.');

const sseElements = (frames: readonly string[]): JsonValue[] =>
  frames.map((frame) => JSON.parse(frame.slice('data: '.length)));

describe('a stream that is an array', () => {
  it('contains what the events contain, one element for each, and begins and ends with a bracket', () => {
    const pieces = runSync(geminiArray.streamFrames(turn, newHead()), [...events]).out;
    const whole = pieces.join('');
    expect(JSON.parse(whole)).toEqual(sseElements(runSync(gemini.streamFrames(turn, newHead()), [...events]).out));
    expect([whole[0], whole.at(-1)]).toEqual(['[', ']']);
    // Each element can be parsed as soon as it is sent.
    for (const [at, piece] of pieces.slice(0, -1).entries()) JSON.parse(piece.slice(at === 0 ? 1 : 3));
  });

  it('stays an array with heartbeats before, between and after its elements', () => {
    const head = newHead();
    const sent: string[] = [geminiArray.heartbeat(head), geminiArray.heartbeat(head)];
    const sink = geminiArray.streamFrames(
      turn,
      head,
    )({ push: (piece) => sent.push(piece), flush: () => {}, end: () => {} });
    for (const event of events) {
      sink.push(event);
      sent.push(geminiArray.heartbeat(head));
    }
    sink.end();
    expect(JSON.parse(sent.join(''))).toHaveLength(4);
    expect(sent.join('')[0]).toBe('[');
  });

  it.each([0, 1, 3])('ends with the error if it fails after %i events', (count) => {
    const head = newHead();
    const sent: string[] = [];
    const sink = geminiArray.streamFrames(
      turn,
      head,
    )({ push: (piece) => sent.push(piece), flush: () => {}, end: () => {} });
    for (const event of events.slice(0, count)) sink.push(event);
    const all = JSON.parse(sent.join('') + geminiArray.errorFrames(fault, head));
    expect(all.at(-1)).toEqual(gemini.errorResponse(fault, 'id').body);
  });

  it('that fails inside the adapter has the error too', () => {
    const all = JSON.parse(
      runSync(geminiArray.streamFrames(turn, newHead()), [...events.slice(0, 2)], fault).out.join(''),
    );
    expect(all).toMatchObject([{ candidates: [{}] }, { error: { status: 'UNAVAILABLE' } }]);
  });

  it('has an error before its start in an array as well', () => {
    const plain = gemini.errorResponse(fault, 'id');
    expect(geminiArray.errorResponse(fault, 'id')).toEqual({ ...plain, body: [plain.body] });
  });
});
