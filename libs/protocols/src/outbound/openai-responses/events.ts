import type { Sink, Stage } from '@callsmith/stream';
import { Fault, isObject, type JsonObject, type JsonValue, type UpstreamEvent } from '@callsmith/turn';
import { parseReply } from '../parse-reply.ts';
import { faultIn } from '../to-fault.ts';
import { responsesUsage } from '../usage-event.ts';
import { callFragment, itemEvents, reasonOf, responseStart } from './output.ts';

/** Converts events of a `/responses` stream to neutral ones. */
export const responsesEvents = (): Stage<string, UpstreamEvent> => (next) => new ResponsesEventParser(next);

class ResponsesEventParser implements Sink<string> {
  private started = false;
  private closed = false;
  /** The index of each call, by its output index. */
  private readonly calls = new Map<number, number>();
  /** Output items with deltas; their complete form adds nothing. */
  private readonly streamed = new Set<number>();
  /** Reasoning comes as text, as a summary or as both; the first kind that arrives is used. */
  private reasoningKind: string | undefined;

  constructor(private readonly next: Sink<UpstreamEvent>) {}

  push(payload: string): void {
    if (this.closed || payload === '' || payload.trim() === '[DONE]') return;
    const event = parseReply(payload);
    if (isObject(event)) this.read(event);
    else this.close(new Fault('upstream_invalid_answer', 'The model server sent an event that is not a JSON object.'));
  }

  flush(): void {
    this.next.flush();
  }

  end(fault?: Fault): void {
    this.close(
      fault ?? new Fault('upstream_cut_off', 'The model server ended its stream without completing the response.'),
    );
  }

  private close(fault?: Fault): void {
    if (this.closed) return;
    this.closed = true;
    this.next.end(fault);
  }

  private read(event: JsonObject): void {
    const outputIndex = typeof event.output_index === 'number' ? event.output_index : 0;
    switch (event.type) {
      case 'response.output_text.delta':
        this.text(outputIndex, event.delta);
        return;
      case 'response.reasoning_text.delta':
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning.delta':
        this.reasoning(outputIndex, event.type, event.delta);
        return;
      case 'response.output_item.added':
        if (isObject(event.item) && event.item.type === 'function_call')
          this.call(outputIndex, { ...event.item, arguments: '' });
        return;
      case 'response.function_call_arguments.delta':
        if (typeof event.delta !== 'string') return;
        this.streamed.add(outputIndex);
        this.next.push({
          type: 'call-fragment',
          choice: 0,
          index: this.callIndex(outputIndex),
          arguments: event.delta,
        });
        return;
      case 'response.output_item.done':
        if (isObject(event.item)) this.whole(outputIndex, event.item);
        return;
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
        this.finish(event.type, isObject(event.response) ? event.response : {});
        return;
      case 'error':
        this.close(
          faultIn({ error: { code: event.code ?? null, message: event.message ?? 'no message' } }) ??
            new Fault('upstream_error'),
        );
        return;
      default: {
        if (isObject(event.response)) this.start(event.response);
        const fault = event.type === undefined ? faultIn(event) : undefined;
        if (fault) this.close(fault);
      }
    }
  }

  private start(response: JsonObject): void {
    if (this.started) return;
    this.started = true;
    this.next.push(responseStart(response));
  }

  private text(outputIndex: number, delta: JsonValue | undefined): void {
    if (typeof delta !== 'string' || delta === '') return;
    this.start({});
    this.streamed.add(outputIndex);
    this.next.push({ type: 'text-delta', choice: 0, text: delta });
  }

  private reasoning(outputIndex: number, kind: string, delta: JsonValue | undefined): void {
    this.reasoningKind ??= kind;
    if (typeof delta !== 'string' || delta === '' || kind !== this.reasoningKind) return;
    this.start({});
    this.streamed.add(outputIndex);
    this.next.push({ type: 'reasoning-delta', choice: 0, text: delta });
  }

  private callIndex(outputIndex: number): number {
    const existingIndex = this.calls.get(outputIndex);
    if (existingIndex !== undefined) return existingIndex;
    const index = this.calls.size;
    this.calls.set(outputIndex, index);
    return index;
  }

  private call(outputIndex: number, item: JsonObject): void {
    this.start({});
    this.next.push(callFragment(item, this.callIndex(outputIndex)));
  }

  /** A complete item; it is used only if it had no deltas. */
  private whole(outputIndex: number, item: JsonObject): void {
    if (this.streamed.has(outputIndex)) return;
    this.streamed.add(outputIndex);
    if (item.type !== 'function_call') {
      for (const event of itemEvents(item)) {
        this.start({});
        this.next.push(event);
      }
      return;
    }
    const index = this.calls.get(outputIndex);
    if (index === undefined) this.call(outputIndex, item);
    else if (item.arguments !== undefined)
      this.next.push({ type: 'call-fragment', choice: 0, index, arguments: item.arguments });
  }

  private finish(type: string, response: JsonObject): void {
    this.start(response);
    const usage = responsesUsage(response.usage);
    if (usage) this.next.push(usage);
    const fault =
      type === 'response.failed'
        ? (faultIn(response) ?? new Fault('upstream_error', 'The model server reported that the response failed.'))
        : undefined;
    if (!fault) this.next.push({ type: 'turn-end', choice: 0, reason: reasonOf(response) });
    this.close(fault);
  }
}
