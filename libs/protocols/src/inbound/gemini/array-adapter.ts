import type { Sink, Stage } from '@callsmith/stream';
import type { Fault, Turn, TurnEvent } from '@callsmith/turn';
import type { InboundAdapter, ResponseHead } from '../../inbound-adapter.ts';
import { gemini } from './adapter.ts';
import { errorResponse } from './errors.ts';
import { generateFrames } from './frames.ts';

/**
 * Google's API if a stream is requested without `alt=sse`: one JSON array, sent element by element. Errors are an array
 * of one as well. Clients may parse it character by character: nothing precedes `[` or follows `]`.
 */
export const geminiArray: InboundAdapter = {
  ...gemini,
  streamType: 'application/json; charset=utf-8',
  streamFrames: arrayFrames,
  errorFrames: (fault, head) => arrayOf(head).element(faultJson(fault)) + closing,
  errorResponse: (fault) => {
    const response = errorResponse(fault);
    return { ...response, body: [response.body] };
  },
  heartbeat: (head) => arrayOf(head).blank(),
};

const faultJson = (fault: Fault): string => JSON.stringify(errorResponse(fault).body);

const closing = '\n]';

/** The frames of an event stream as elements. */
function arrayFrames(turn: Turn, head: ResponseHead): Stage<TurnEvent, string> {
  const array = arrayOf(head);
  return (next) => {
    const elements: Sink<string> = {
      push: (frame) => next.push(array.element(jsonIn(frame))),
      flush: () => next.flush(),
      end: () => {
        next.push(closing);
        next.end();
      },
    };
    return generateFrames(turn, head)(elements);
  };
}

/** A frame's payload: without `data: ` and the blank line. */
const jsonIn = (frame: string): string => frame.slice('data: '.length, -'\n\n'.length);

/** The arrays in progress, by their head: heartbeats and faults come from outside. */
const arrays = new WeakMap<ResponseHead, ArrayWriter>();

function arrayOf(head: ResponseHead): ArrayWriter {
  const existing = arrays.get(head);
  if (existing) return existing;
  const created = new ArrayWriter();
  arrays.set(head, created);
  return created;
}

/** Adds the bracket or comma before each element. */
class ArrayWriter {
  private before = '[';

  element(json: string): string {
    const { before } = this;
    this.before = ',\r\n';
    return before + json;
  }

  /** White space, which is allowed anywhere but before the array. */
  blank(): string {
    if (this.before !== '[') return '\n';
    this.before = '';
    return '[\n';
  }
}
