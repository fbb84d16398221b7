import type { Sink, Stage } from '@callsmith/stream';
import { type Fault, type FinishReason, isMcpEvent, type Turn, type TurnEvent } from '@callsmith/turn';
import type { ResponseHead } from '../../inbound-adapter.ts';
import { type EventWriter, eventWriterOf } from './event-writer.ts';
import { McpFrames } from './mcp-frames.ts';
import { OpenCall } from './open-call.ts';
import { wantsEncrypted } from './output-items.ts';
import { incompleteReason } from './response.ts';
import { messageFormat, reasoningFormat, TextItem } from './text-item.ts';

/** Converts events to this API's, in the documented order, numbered from 0. */
export const responseFrames =
  (turn: Turn, head: ResponseHead): Stage<TurnEvent, string> =>
  (next) =>
    new FrameWriter(turn, eventWriterOf(head, turn), next);

/** The event that ends a broken stream. */
export const responseErrorFrames = (fault: Fault, head: ResponseHead): string => eventWriterOf(head).failed(fault);

/**
 * Codex counts only events, no comments, and a second `response.in_progress` would clear what the SDKs have collected.
 * A custom event, with a prefix as Open Responses requires, has no effect and counts as activity. The stream helper of
 * OpenAI's SDK fails on unknown types: it gets the service's own `keepalive` (docs/decisions/0004).
 */
export const responseHeartbeat = (head: ResponseHead): string => eventWriterOf(head).heartbeat();

class FrameWriter implements Sink<TurnEvent> {
  /** Text or reasoning in progress; calls are tracked separately, since text may come while one is open. */
  private textItem: TextItem | undefined;
  private readonly calls = new Map<number, OpenCall>();
  private readonly mcp: McpFrames;
  private reason: FinishReason | undefined;
  private readonly reasoningFormat: TextItem['format'];

  constructor(
    private readonly turn: Turn,
    private readonly writer: EventWriter,
    private readonly next: Sink<string>,
  ) {
    this.mcp = new McpFrames(writer);
    this.reasoningFormat = reasoningFormat(wantsEncrypted(turn));
  }

  push(event: TurnEvent): void {
    if (event.type === 'note' || event.choice !== 0) return;
    if (event.type === 'usage') {
      this.writer.usage = event;
      return;
    }
    this.emit(this.writer.opening());
    if (isMcpEvent(event)) {
      this.endText();
      this.emit(this.mcp.frames(event));
      return;
    }
    switch (event.type) {
      case 'turn-start':
        return;
      case 'text-delta':
        this.text(messageFormat, event.text);
        return;
      case 'reasoning-delta':
        this.text(this.reasoningFormat, event.text);
        return;
      case 'tool-start':
        this.beginCall(event.index, event.id, event.name);
        return;
      case 'tool-delta':
        this.emit(this.calls.get(event.index)?.delta(event.json) ?? '');
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
    const incomplete = incompleteReason(this.reason);
    this.endText(fault || incomplete ? 'incomplete' : 'completed');
    if (fault) this.emit(this.writer.failed(fault));
    else if (incomplete) this.emit(this.writer.ending({ status: 'incomplete', incomplete }));
    else this.emit(this.writer.ending({ status: 'completed' }));
    this.next.end();
  }

  private emit(frames: string): void {
    if (frames !== '') this.next.push(frames);
  }

  private text(format: TextItem['format'], text: string): void {
    if (text === '') return;
    if (this.textItem?.format !== format) {
      this.endText();
      this.textItem = new TextItem(format, this.writer);
      this.emit(this.textItem.begin());
    }
    this.emit(this.textItem.delta(text));
  }

  private endText(status: 'completed' | 'incomplete' = 'completed'): void {
    this.emit(this.textItem?.done(status) ?? '');
    this.textItem = undefined;
  }

  private beginCall(index: number, callId: string, name: string): void {
    this.endText();
    const call = new OpenCall(this.turn, callId, name, this.writer);
    this.calls.set(index, call);
    this.emit(call.begin());
  }

  private endCall(index: number, whole: boolean): void {
    const call = this.calls.get(index);
    // A call that was cut is never reported as done; the following fault explains it.
    if (!call || !whole) return;
    this.calls.delete(index);
    this.emit(call.done());
  }
}
