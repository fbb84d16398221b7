import type { Sink, Stage } from '@callsmith/stream';
import type { Fault, FinishReason, JsonObject, Turn, TurnEvent, Usage } from '@callsmith/turn';
import type { ResponseHead } from '../../inbound-adapter.ts';
import { messageErrorFrames } from './errors.ts';

import { stopReasonOf } from './stop-reason.ts';
import { thinkingDisplay, thinkingSignature } from './thinking.ts';
import { clientName } from './tools.ts';
import { messageUsage } from './usage.ts';

/** A heartbeat; SDKs ignore it wherever it comes. */
export const ping = 'event: ping\ndata: {"type": "ping"}\n\n';

/**
 * Converts events to this API's: one message, its blocks in sequence with dense indexes, and at the end its counts and
 * the stop reason. A call is sent as one block once it is complete. Frames are joined from text; only the variable
 * parts are stringified.
 */
export const messageFrames =
  (turn: Turn, head: ResponseHead): Stage<TurnEvent, string> =>
  (next) =>
    new MessageStream(turn, head, next);

interface OpenBlock {
  readonly type: 'text' | 'thinking';
  /** The reasoning so far, for its signature. */
  readonly parts: string[];
}

interface HeldCall {
  readonly id: string;
  readonly name: string;
  readonly parts: string[];
}

class MessageStream implements Sink<TurnEvent> {
  private readonly shown: ReturnType<typeof thinkingDisplay>;
  private started = false;
  private ended = false;
  /** Index of the open block, or of the last one. */
  private index = -1;
  private open: OpenBlock | undefined;
  /** The start of a delta of the open block, up to its text. */
  private opening = '';
  private readonly calls = new Map<number, HeldCall>();
  private reason: FinishReason | undefined;
  private ending: JsonObject | undefined;
  private usage: Usage | undefined;

  constructor(
    private readonly turn: Turn,
    private readonly head: ResponseHead,
    private readonly next: Sink<string>,
  ) {
    this.shown = thinkingDisplay(turn);
  }

  push(event: TurnEvent): void {
    if (this.ended || event.choice !== 0) return;
    switch (event.type) {
      case 'turn-start':
        this.start();
        return;
      case 'text-delta':
        if (event.text !== '') this.text(JSON.stringify(event.text));
        return;
      case 'reasoning-delta':
        if (event.text !== '' && this.shown !== 'none') this.reasoning(event.text);
        return;
      case 'tool-start':
        this.calls.set(event.index, { id: event.id, name: event.name, parts: [] });
        return;
      case 'tool-delta':
        this.calls.get(event.index)?.parts.push(event.json);
        return;
      case 'tool-end':
        this.call(event.index, event.whole);
        return;
      case 'usage':
        this.usage = event;
        return;
      case 'turn-end':
        this.reason = event.reason;
        this.ending = event.extra;
        return;
      default:
    }
  }

  /** Text that needs no JSON escapes. */
  pushText(text: string): boolean {
    if (this.ended) return false;
    if (text !== '') this.text(`"${text}"`);
    return true;
  }

  flush(): void {
    this.next.flush();
  }

  end(fault?: Fault): void {
    if (this.ended) return;
    this.ended = true;
    if (fault) this.next.push(messageErrorFrames(fault));
    else this.finish();
    this.next.end();
  }

  private finish(): void {
    this.start();
    this.close();
    // Clients access the first block without checking that it exists.
    if (this.index === -1) {
      this.begin('text', '"text":""');
      this.close();
    }
    const { stop_reason, stop_sequence } = stopReasonOf(this.turn, this.reason, this.ending);
    this.emit(
      'message_delta',
      `"delta":{"stop_reason":"${stop_reason}","stop_sequence":${JSON.stringify(stop_sequence)}},"usage":${JSON.stringify(messageUsage(this.usage))}`,
    );
    this.next.push('event: message_stop\ndata: {"type":"message_stop"}\n\n');
  }

  private emit(type: string, members: string): void {
    this.next.push(`event: ${type}\ndata: {"type":"${type}",${members}}\n\n`);
  }

  private start(): void {
    if (this.started) return;
    this.started = true;
    const { id, model } = this.head;
    this.emit(
      'message_start',
      // Counts are in the last event, where clients read them.
      `"message":{"id":${JSON.stringify(id)},"type":"message","role":"assistant","model":${JSON.stringify(model)},"content":[],"stop_reason":null,"stop_sequence":null,"usage":${JSON.stringify(messageUsage(undefined))}}`,
    );
  }

  private text(json: string): void {
    if (this.open?.type !== 'text') {
      this.begin('text', '"text":""');
      this.opening = `event: content_block_delta\ndata: {"type":"content_block_delta","index":${this.index},"delta":{"type":"text_delta","text":`;
    }
    this.next.push(`${this.opening}${json}}}\n\n`);
  }

  private reasoning(text: string): void {
    if (this.open?.type !== 'thinking') this.begin('thinking', '"thinking":"","signature":""');
    this.open?.parts.push(text);
    if (this.shown === 'text') this.delta('thinking_delta', `"thinking":${JSON.stringify(text)}`);
  }

  private call(index: number, whole: boolean): void {
    const call = this.calls.get(index);
    this.calls.delete(index);
    // A call that was cut is no block; the following fault explains it.
    if (!call || !whole) return;
    const name = clientName(this.turn, call.name);
    this.begin('tool_use', `"id":${JSON.stringify(call.id)},"name":${JSON.stringify(name)},"input":{}`);
    this.delta('input_json_delta', `"partial_json":${JSON.stringify(call.parts.join(''))}`);
    this.stop();
  }

  private begin(type: OpenBlock['type'] | 'tool_use', members: string): void {
    this.start();
    this.close();
    this.index += 1;
    this.open = type === 'tool_use' ? undefined : { type, parts: [] };
    this.emit('content_block_start', `"index":${this.index},"content_block":{"type":"${type}",${members}}`);
  }

  private delta(type: string, members: string): void {
    this.emit('content_block_delta', `"index":${this.index},"delta":{"type":"${type}",${members}}`);
  }

  private close(): void {
    const { open } = this;
    if (!open) return;
    this.open = undefined;
    if (open.type === 'thinking')
      this.delta('signature_delta', `"signature":"${thinkingSignature(open.parts.join(''), this.shown)}"`);
    this.stop();
  }

  private stop(): void {
    this.emit('content_block_stop', `"index":${this.index}`);
  }
}
