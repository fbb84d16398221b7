import type { Fault, Turn, Usage } from '@callsmith/turn';
import type { ResponseHead } from '../../inbound-adapter.ts';
import { type ResponseState, ResponseWriter } from './response.ts';

/** The streams in progress, by their head: heartbeats and faults come from outside. */
const writers = new WeakMap<ResponseHead, EventWriter>();

/** The writer of the stream with this head; created at its first use. */
export function eventWriterOf(head: ResponseHead, turn?: Turn): EventWriter {
  const existing = writers.get(head);
  if (existing) return existing;
  const created = new EventWriter(head, turn);
  writers.set(head, created);
  return created;
}

/** Writes this API's events: numbers them from 0, and tracks the response's start, its end and its items. */
export class EventWriter {
  private sequence = 0;
  private items = 0;
  private begun = false;
  private over = false;
  /** Finished items by their index, as JSON. */
  private readonly output = new Map<number, string>();
  private readonly response: ResponseWriter;
  usage: Usage | undefined;

  constructor(
    private readonly head: ResponseHead,
    turn: Turn | undefined,
  ) {
    this.response = new ResponseWriter(head, turn);
  }

  /** One event; `members` is JSON, from its first comma on. */
  event(type: string, members: string): string {
    const frame = `event: ${type}\ndata: {"type":"${type}","sequence_number":${this.sequence}${members}}\n\n`;
    this.sequence += 1;
    return frame;
  }

  /** The first events, once. */
  opening(): string {
    if (this.begun) return '';
    this.begun = true;
    const response = `,"response":${this.response.json({ status: 'in_progress', output: [] })}`;
    return this.event('response.created', response) + this.event('response.in_progress', response);
  }

  heartbeat(): string {
    const type = this.head.knownEventsOnly ? 'keepalive' : 'callsmith:keepalive';
    return this.over ? '' : this.opening() + this.event(type, '');
  }

  /** The index of the next output item, and its id. */
  nextItem(idPrefix: string): { id: string; index: number } {
    const index = this.items;
    this.items += 1;
    return { id: `${idPrefix}_${this.head.id.replace(/^resp_/, '')}_${index}`, index };
  }

  /** An item begins; `item` is its JSON. */
  itemAdded(index: number, item: string): string {
    return this.event('response.output_item.added', `,"output_index":${index},"item":${item}`);
  }

  /** An item is complete; `item` is its JSON. */
  itemDone(index: number, item: string): string {
    this.output.set(index, item);
    return this.event('response.output_item.done', `,"output_index":${index},"item":${item}`);
  }

  /** The last event, once: the whole response. */
  ending(state: Omit<ResponseState, 'output' | 'usage'>): string {
    if (this.over) return '';
    this.over = true;
    const output = [...this.output].sort(([a], [b]) => a - b).map(([, item]) => item);
    const response = this.response.json({ ...state, output, usage: this.usage });
    return `${this.opening()}${this.event(`response.${state.status}`, `,"response":${response}`)}data: [DONE]\n\n`;
  }

  failed(fault: Fault): string {
    return this.ending({ status: 'failed', fault });
  }
}
