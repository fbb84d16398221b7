import type { Sink, Stage } from '@callsmith/stream';
import type { Fault, FinishReason, Turn, TurnEvent, Usage } from '@callsmith/turn';
import type { ResponseHead } from '../../inbound-adapter.ts';
import { customInput } from '../custom-input.ts';
import {
  type CallItem,
  callItem,
  callItemOf,
  messageItem,
  reasoningItem,
  summaryPart,
  textPart,
} from './output-items.ts';
import { type ResponseState, ResponseWriter } from './response.ts';

/** The streams that are being written, by the head they were begun with: heartbeats and faults come from outside. */
const writers = new WeakMap<ResponseHead, EventWriter>();

function writerOf(head: ResponseHead, turn?: Turn): EventWriter {
  const there = writers.get(head);
  if (there) return there;
  const made = new EventWriter(head, turn);
  writers.set(head, made);
  return made;
}

/** Answer events to this API's events, in the documented order, numbered from 0. */
export const responseFrames =
  (turn: Turn, head: ResponseHead): Stage<TurnEvent, string> =>
  (next) => {
    const speaker = writerOf(head, turn);
    return new FrameWriter(turn, speaker, next);
  };

/** The event that ends a stream which broke. */
export const responseErrorFrames = (fault: Fault, head: ResponseHead): string => writerOf(head).failed(fault);

/**
 * Codex counts only events, no comments, and a second `response.in_progress` would empty what the SDKs have gathered.
 * The service's own `keepalive` event says nothing and counts as activity (docs/decisions/0004).
 */
export const responseHeartbeat = (head: ResponseHead): string => `: keep-alive\n\n${writerOf(head).heartbeat()}`;

/** Numbers events, and knows what has been said. */
class EventWriter {
  private number = 0;
  private begun = false;
  private over = false;
  /** Finished items by their index, as JSON. */
  readonly output = new Map<number, string>();
  usage: Usage | undefined;
  private readonly writer: ResponseWriter;

  constructor(
    readonly head: ResponseHead,
    turn: Turn | undefined,
  ) {
    this.writer = new ResponseWriter(head, turn);
  }

  /** One event; `members` is JSON, from its first comma on. */
  event(type: string, members: string): string {
    const frame = `event: ${type}\ndata: {"type":"${type}","sequence_number":${this.number}${members}}\n\n`;
    this.number += 1;
    return frame;
  }

  /** What comes before all else, once. */
  opening(): string {
    if (this.begun) return '';
    this.begun = true;
    const response = `,"response":${this.writer.json({ status: 'in_progress', output: [] })}`;
    return this.event('response.created', response) + this.event('response.in_progress', response);
  }

  heartbeat(): string {
    return this.over ? '' : this.opening() + this.event('keepalive', '');
  }

  ending(state: Omit<ResponseState, 'output' | 'usage'>): string {
    if (this.over) return '';
    this.over = true;
    return (
      this.opening() +
      this.event(
        `response.${state.status}`,
        `,"response":${this.writer.json({ ...state, output: this.items(), usage: this.usage })}`,
      )
    );
  }

  private items(): string[] {
    return [...this.output].sort(([a], [b]) => a - b).map(([, item]) => item);
  }

  failed(fault: Fault): string {
    return this.ending({ status: 'failed', fault });
  }
}

/** An item that is being said. */
type Open =
  | { readonly kind: 'message' | 'reasoning'; readonly id: string; readonly index: number; readonly said: string[] }
  | {
      readonly kind: 'call';
      readonly id: string;
      readonly index: number;
      readonly said: string[];
      readonly call: CallItem;
    };

class FrameWriter implements Sink<TurnEvent> {
  /** Text or reasoning; calls are kept apart, since text may come while one is open. */
  private open: Open | undefined;
  private readonly calls = new Map<number, Extract<Open, { kind: 'call' }>>();
  private items = 0;
  private reason: FinishReason | undefined;

  constructor(
    private readonly turn: Turn,
    private readonly writer: EventWriter,
    private readonly next: Sink<string>,
  ) {}

  push(event: TurnEvent): void {
    if (event.type === 'note' || event.choice !== 0) return;
    if (event.type === 'usage') {
      this.writer.usage = event;
      return;
    }
    this.emit(this.writer.opening());
    switch (event.type) {
      case 'turn-start':
        return;
      case 'text-delta':
        if (event.text !== '') this.text(event.text);
        return;
      case 'reasoning-delta':
        if (event.text !== '') this.reasoning(event.text);
        return;
      case 'tool-start':
        this.start(event.index, event.id, event.name);
        return;
      case 'tool-delta':
        this.args(event.index, event.json);
        return;
      case 'tool-end':
        this.endCall(event.index, event.whole);
        return;
      case 'turn-end':
        this.reason ??= event.reason;
    }
  }

  flush(): void {
    this.next.flush();
  }

  end(fault?: Fault): void {
    this.emit(this.writer.opening());
    this.close();
    if (fault) this.emit(this.writer.failed(fault));
    else if (this.reason === 'length')
      this.emit(this.writer.ending({ status: 'incomplete', incomplete: 'max_output_tokens' }));
    else if (this.reason === 'content_filter')
      this.emit(this.writer.ending({ status: 'incomplete', incomplete: 'content_filter' }));
    else this.emit(this.writer.ending({ status: 'completed' }));
    this.next.end();
  }

  private emit(frames: string): void {
    if (frames !== '') this.next.push(frames);
  }

  private newId(prefix: string): { id: string; index: number } {
    const index = this.items;
    this.items += 1;
    return { id: `${prefix}_${this.writer.head.id.replace(/^resp_/, '')}_${index}`, index };
  }

  private added(index: number, item: string): void {
    this.emit(this.writer.event('response.output_item.added', `,"output_index":${index},"item":${item}`));
  }

  private finished(index: number, item: string): void {
    this.writer.output.set(index, item);
    this.emit(this.writer.event('response.output_item.done', `,"output_index":${index},"item":${item}`));
  }

  private text(text: string): void {
    if (this.open?.kind !== 'message') {
      this.close();
      this.open = { kind: 'message', ...this.newId('msg'), said: [] };
      this.added(this.open.index, messageItem(this.open.id, 'in_progress', ''));
      this.emit(
        this.writer.event('response.content_part.added', `${this.at(this.open, 'content')},"part":${textPart('')}`),
      );
    }
    this.open.said.push(text);
    this.emit(
      this.writer.event(
        'response.output_text.delta',
        `${this.at(this.open, 'content')},"delta":${JSON.stringify(text)},"logprobs":[]`,
      ),
    );
  }

  private reasoning(text: string): void {
    if (this.open?.kind !== 'reasoning') {
      this.close();
      this.open = { kind: 'reasoning', ...this.newId('rs'), said: [] };
      this.added(this.open.index, reasoningItem(this.open.id, ''));
      this.emit(
        this.writer.event(
          'response.reasoning_summary_part.added',
          `${this.at(this.open, 'summary')},"part":${summaryPart('')}`,
        ),
      );
    }
    this.open.said.push(text);
    this.emit(
      this.writer.event(
        'response.reasoning_summary_text.delta',
        `${this.at(this.open, 'summary')},"delta":${JSON.stringify(text)}`,
      ),
    );
  }

  /** Where a piece belongs: item, and part 0 of it. */
  private at(open: Open, part?: 'content' | 'summary'): string {
    return `,"item_id":"${open.id}","output_index":${open.index}${part ? `,"${part}_index":0` : ''}`;
  }

  /** Ends text or reasoning. */
  private close(): void {
    const { open } = this;
    this.open = undefined;
    if (!open || open.kind === 'call') return;
    const text = open.said.join('');
    if (open.kind === 'message') {
      const part = textPart(text);
      this.emit(
        this.writer.event(
          'response.output_text.done',
          `${this.at(open, 'content')},"text":${JSON.stringify(text)},"logprobs":[]`,
        ),
      );
      this.emit(this.writer.event('response.content_part.done', `${this.at(open, 'content')},"part":${part}`));
      this.finished(open.index, messageItem(open.id, 'completed', part));
      return;
    }
    const part = summaryPart(text);
    this.emit(
      this.writer.event(
        'response.reasoning_summary_text.done',
        `${this.at(open, 'summary')},"text":${JSON.stringify(text)}`,
      ),
    );
    this.emit(this.writer.event('response.reasoning_summary_part.done', `${this.at(open, 'summary')},"part":${part}`));
    this.finished(open.index, reasoningItem(open.id, part));
  }

  private start(index: number, callId: string, name: string): void {
    this.close();
    const call = callItemOf(this.turn, callId, name);
    const open = { kind: 'call' as const, ...this.newId(call.custom ? 'ctc' : 'fc'), said: [], call };
    this.calls.set(index, open);
    this.added(open.index, callItem(open.id, 'in_progress', call, ''));
  }

  private args(index: number, json: string): void {
    const open = this.calls.get(index);
    if (!open) return;
    open.said.push(json);
    // Free text is inside the JSON; it goes out once that is whole.
    if (!open.call.custom)
      this.emit(
        this.writer.event('response.function_call_arguments.delta', `${this.at(open)},"delta":${JSON.stringify(json)}`),
      );
  }

  private endCall(index: number, whole: boolean): void {
    const open = this.calls.get(index);
    // A call that was cut is never said to be done; the fault that follows says what happened.
    if (!open || !whole) return;
    this.calls.delete(index);
    const said = open.said.join('');
    if (open.call.custom) {
      const input = JSON.stringify(customInput(said));
      this.emit(this.writer.event('response.custom_tool_call_input.delta', `${this.at(open)},"delta":${input}`));
      this.emit(this.writer.event('response.custom_tool_call_input.done', `${this.at(open)},"input":${input}`));
    } else
      this.emit(
        this.writer.event(
          'response.function_call_arguments.done',
          `${this.at(open)},"name":${JSON.stringify(open.call.name)},"arguments":${JSON.stringify(said)}`,
        ),
      );
    this.finished(open.index, callItem(open.id, 'completed', open.call, said));
  }
}
