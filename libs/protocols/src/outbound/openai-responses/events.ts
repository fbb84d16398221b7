import type { Sink, Stage } from '@callsmith/stream';
import {
  Fault,
  type FinishReason,
  isObject,
  type JsonObject,
  type JsonValue,
  parseJson,
  type UpstreamEvent,
  type Usage,
} from '@callsmith/turn';
import { faultIn } from '../to-fault.ts';

/** Events of a `/responses` stream to ours. */
export const responsesEvents = (): Stage<string, UpstreamEvent> => (next) => new ResponsesEventParser(next);

class ResponsesEventParser implements Sink<string> {
  private started = false;
  private closed = false;
  /** Call position by output index. */
  private readonly calls = new Map<number, number>();
  /** Output items of which a delta was heard; their whole form says nothing new. */
  private readonly streamed = new Set<number>();
  /** Reasoning comes as text, as a summary or as both; the first kind that is heard is taken. */
  private reasoningKind: string | undefined;

  constructor(private readonly next: Sink<UpstreamEvent>) {}

  push(payload: string): void {
    if (this.closed || payload === '' || payload.trim() === '[DONE]') return;
    const event = parseJson(payload);
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
    const at = typeof event.output_index === 'number' ? event.output_index : 0;
    switch (event.type) {
      case 'response.output_text.delta':
        this.text(at, event.delta);
        return;
      case 'response.reasoning_text.delta':
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning.delta':
        this.reasoning(at, event.type, event.delta);
        return;
      case 'response.output_item.added':
        if (isObject(event.item) && event.item.type === 'function_call') this.call(at, event.item, '');
        return;
      case 'response.function_call_arguments.delta':
        if (typeof event.delta !== 'string') return;
        this.streamed.add(at);
        this.next.push({ type: 'call-fragment', choice: 0, index: this.position(at), arguments: event.delta });
        return;
      case 'response.output_item.done':
        if (isObject(event.item)) this.whole(at, event.item);
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

  private text(at: number, delta: JsonValue | undefined): void {
    if (typeof delta !== 'string' || delta === '') return;
    this.start({});
    this.streamed.add(at);
    this.next.push({ type: 'text-delta', choice: 0, text: delta });
  }

  private reasoning(at: number, kind: string, delta: JsonValue | undefined): void {
    this.reasoningKind ??= kind;
    if (typeof delta !== 'string' || delta === '' || kind !== this.reasoningKind) return;
    this.start({});
    this.streamed.add(at);
    this.next.push({ type: 'reasoning-delta', choice: 0, text: delta });
  }

  private position(at: number): number {
    const there = this.calls.get(at);
    if (there !== undefined) return there;
    const position = this.calls.size;
    this.calls.set(at, position);
    return position;
  }

  private call(at: number, item: JsonObject, given: string | undefined): void {
    this.start({});
    const args = given ?? item.arguments;
    this.next.push({
      type: 'call-fragment',
      choice: 0,
      index: this.position(at),
      ...(typeof item.call_id === 'string' && { id: item.call_id }),
      ...(typeof item.name === 'string' && { name: item.name }),
      ...(args !== undefined && { arguments: args }),
    });
  }

  /** An item of which nothing was heard piece by piece. */
  private whole(at: number, item: JsonObject): void {
    if (this.streamed.has(at)) return;
    this.streamed.add(at);
    if (item.type !== 'function_call') {
      for (const event of itemEvents(item)) {
        this.start({});
        this.next.push(event);
      }
      return;
    }
    const position = this.calls.get(at);
    if (position === undefined) this.call(at, item, undefined);
    else if (item.arguments !== undefined)
      this.next.push({ type: 'call-fragment', choice: 0, index: position, arguments: item.arguments });
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

/** A whole response as the events it would have been. Throws `upstream_invalid_answer`, or the error it carries. */
export function responseToEvents(whole: JsonValue): UpstreamEvent[] {
  if (!isObject(whole))
    throw new Fault('upstream_invalid_answer', 'The model server sent a response that is not a JSON object.');
  const fault = faultIn(whole);
  if (fault) throw fault;
  if (!Array.isArray(whole.output))
    throw new Fault('upstream_invalid_answer', 'The model server sent a response without `output`.');
  let calls = 0;
  const events = whole.output.flatMap((item): UpstreamEvent[] => {
    if (!isObject(item)) return [];
    if (item.type !== 'function_call') return itemEvents(item);
    const index = calls;
    calls += 1;
    return [
      {
        type: 'call-fragment',
        choice: 0,
        index,
        ...(typeof item.call_id === 'string' && { id: item.call_id }),
        ...(typeof item.name === 'string' && { name: item.name }),
        ...(item.arguments !== undefined && { arguments: item.arguments }),
      },
    ];
  });
  const usage = responsesUsage(whole.usage);
  return [
    responseStart(whole),
    ...events,
    ...(usage ? [usage] : []),
    { type: 'turn-end', choice: 0, reason: reasonOf(whole) },
  ];
}

/** What a whole item says that is no call. */
function itemEvents(item: JsonObject): UpstreamEvent[] {
  const text = [
    ...textsIn(item.content),
    ...(item.type === 'reasoning' && textsIn(item.content).length === 0 ? textsIn(item.summary) : []),
  ].join('');
  if (text === '') return [];
  return [{ type: item.type === 'reasoning' ? 'reasoning-delta' : 'text-delta', choice: 0, text }];
}

function textsIn(parts: JsonValue | undefined): string[] {
  if (!Array.isArray(parts)) return [];
  return parts.flatMap((part) => {
    if (!isObject(part)) return [];
    if (typeof part.text === 'string') return [part.text];
    return typeof part.refusal === 'string' ? [part.refusal] : [];
  });
}

const responseStart = (response: JsonObject): UpstreamEvent => ({
  type: 'turn-start',
  choice: 0,
  id: typeof response.id === 'string' ? response.id : '',
  model: typeof response.model === 'string' ? response.model : '',
  createdAt: typeof response.created_at === 'number' ? Math.floor(response.created_at) : 0,
});

function reasonOf(response: JsonObject): FinishReason {
  if (response.status !== 'incomplete') return 'stop';
  return isObject(response.incomplete_details) && response.incomplete_details.reason === 'content_filter'
    ? 'content_filter'
    : 'length';
}

function responsesUsage(usage: JsonValue | undefined): (Usage & { type: 'usage'; choice: number }) | undefined {
  if (!isObject(usage) || typeof usage.input_tokens !== 'number') return undefined;
  const details = isObject(usage.input_tokens_details) ? usage.input_tokens_details : {};
  return {
    type: 'usage',
    choice: 0,
    inputTokens: usage.input_tokens,
    outputTokens: typeof usage.output_tokens === 'number' ? usage.output_tokens : 0,
    ...(typeof details.cached_tokens === 'number' && { cachedTokens: details.cached_tokens }),
    source: 'upstream',
    upstream: usage,
  };
}
