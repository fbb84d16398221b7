import type { Sink, Stage } from '@callsmith/stream';
import {
  copyMembers,
  Fault,
  type FinishReason,
  isObject,
  type JsonObject,
  type JsonValue,
  parseJson,
  sizeOf,
  type UpstreamEvent,
  type Usage,
} from '@callsmith/turn';
import { parseReply } from '../parse-reply.ts';
import { faultIn } from '../to-fault.ts';
import { chatUsage } from '../usage-event.ts';
import { answerExtra, choiceEvents, choiceExtra, choiceIndex, finishReason, turnStart } from './deltas.ts';
import { LearnedFrame } from './frame.ts';

/** Converts chunk payloads to events. A finish is emitted at the end, since some servers send more after it. */
export const chatEvents = (): Stage<string, UpstreamEvent> => (next) => new ChatEventParser(next);

class ChatEventParser implements Sink<string> {
  private readonly started = new Set<number>();
  private readonly finished = new Map<number, FinishReason>();
  /** Unknown members of finished choices. */
  private readonly endings = new Map<number, JsonObject>();
  /** Unknown members of the response itself that were not emitted at its start. */
  private late: JsonObject | undefined;
  private usage: (Usage & { type: 'usage'; choice: number }) | undefined;
  private frame: LearnedFrame<UpstreamEvent> | undefined;
  /** The frame, if its string is text of the first choice. */
  private textFrame: LearnedFrame<UpstreamEvent> | undefined;
  /** Events parsed by the frame since it was learned, and failed attempts to learn one. */
  private hits = 0;
  private misses = 0;
  /** The newest payload that took the slow path. */
  private unlearnt: string | undefined;
  /** Events on the slow path since the last flush. */
  private slowInBurst = 0;
  private done = false;
  private broken = false;
  private closed = false;

  constructor(private readonly next: Sink<UpstreamEvent>) {}

  push(payload: string): void {
    if (this.closed || payload === '') return;
    if (this.pushFramed(payload)) this.hits += 1;
    else if (payload.trim() === '[DONE]') this.close();
    else this.read(payload);
  }

  /** Parses a payload of the learned frame; false if it has another one. */
  private pushFramed(payload: string): boolean {
    const text = this.textFrame?.plainText(payload);
    if (text !== undefined && this.next.pushText?.(text)) return true;
    const event = this.frame?.read(payload);
    if (event) this.next.push(event);
    return event !== undefined;
  }

  /** Output is sent first; then there is time to learn. */
  flush(): void {
    this.next.flush();
    this.slowInBurst = 0;
    if (this.unlearnt === undefined) return;
    this.learn(this.unlearnt);
    this.unlearnt = undefined;
  }

  end(fault?: Fault): void {
    if (this.closed) {
      if (this.done) this.next.end();
      return;
    }
    if (fault) {
      this.fail(fault);
      return;
    }
    if (this.broken || this.finished.size < this.started.size || this.started.size === 0) {
      this.fail(new Fault('upstream_cut_off', 'The model server ended its stream without a finish_reason.'));
      return;
    }
    this.close();
    this.next.end();
  }

  /** Emits what was kept for the end. */
  private close(): void {
    if (this.broken) {
      this.fail(new Fault('upstream_cut_off', 'The model server ended its response with an error.'));
      return;
    }
    this.closed = true;
    this.done = true;
    if (this.usage) this.next.push(this.usage);
    for (const choice of this.started) {
      const extra = this.endings.get(choice);
      const reason = this.finished.get(choice) ?? 'stop';
      const answer = choice === 0 ? this.late : undefined;
      this.next.push({ type: 'turn-end', choice, reason, ...(extra && { extra }), ...(answer && { answer }) });
    }
  }

  private fail(fault: Fault): void {
    this.closed = true;
    if (this.usage) this.next.push(this.usage);
    this.next.end(fault);
  }

  private read(payload: string): void {
    const chunk = parseReply(payload);
    if (!isObject(chunk)) {
      this.fail(new Fault('upstream_invalid_answer', 'The model server sent an event that is not a JSON object.'));
      return;
    }
    const fault = faultIn(chunk);
    if (fault) {
      this.fail(fault);
      return;
    }
    this.usage = chatUsage(chunk.usage) ?? this.usage;
    const extra = answerExtra(chunk);
    if (extra && (this.started.size > 0 || !Array.isArray(chunk.choices) || chunk.choices.length === 0))
      this.keepLate(extra);
    if (!Array.isArray(chunk.choices)) return;
    for (const choice of chunk.choices) if (isObject(choice)) this.choice(chunk, choice);
    if (chunk.choices.length === 1) this.keepToLearn(payload);
  }

  /** The newest value of each name, without those that are already final. */
  private keepLate(extra: JsonObject): void {
    // The values of the frame's events may be older from now on.
    this.frame = undefined;
    this.textFrame = undefined;
    const late = this.late ?? {};
    const added = Object.keys(extra).filter((name) => !Object.hasOwn(late, name)).length;
    if (Object.keys(late).length + added > maxLate || sizeOf(extra) > maxLateSize) return;
    this.late = copyMembers(extra, late);
  }

  private choice(chunk: JsonObject, from: JsonObject): void {
    const index = choiceIndex(from, 0);
    if (!this.started.has(index)) {
      this.started.add(index);
      this.next.push(turnStart(chunk, index));
    }
    for (const event of choiceEvents(from, index)) this.next.push(event);
    if (typeof from.finish_reason !== 'string') return;
    const reason = finishReason(from.finish_reason);
    const extra = choiceExtra(from);
    if (extra) this.endings.set(index, extra);
    if (reason) this.finished.set(index, reason);
    else this.broken = true;
  }

  /** In a burst, the third event on the slow path is learned from immediately: hundreds may follow before the flush. */
  private keepToLearn(payload: string): void {
    this.slowInBurst += 1;
    if (this.slowInBurst !== learnInBurst) {
      this.unlearnt = payload;
      return;
    }
    this.learn(payload);
    this.unlearnt = undefined;
  }

  /** Learning costs as much as parsing twice more; it is given up for a stream that never repeats its frame. */
  private learn(payload: string): void {
    if (this.hits === 0 && this.misses >= maxMisses) return;
    const learnt = LearnedFrame.of(payload, onlyEvent, textOfEvent, withText);
    if (this.hits === 0) this.misses += 1;
    if (!learnt) return;
    this.frame = learnt;
    this.textFrame = isFirstText(learnt.make('')) ? learnt : undefined;
    this.hits = 0;
  }
}

/** Unknown members of a response, and their characters in one event. */
const maxLate = 100;
const maxLateSize = 256 * 1024;

/** After this many events on the slow path at a time a frame is learned before the flush. */
const learnInBurst = 3;
const maxMisses = 16;

const isFirstText = (event: UpstreamEvent): boolean => event.type === 'text-delta' && event.choice === 0;

/** The only event of a payload; `payload` has been parsed, and has one choice. */
function onlyEvent(payload: string): UpstreamEvent | undefined {
  const chunk = parseJson(payload);
  if (!isObject(chunk) || isObject(chunk.usage)) return undefined;
  const [choice] = chunk.choices as readonly JsonValue[];
  if (!isObject(choice) || typeof choice.finish_reason === 'string') return undefined;
  const events = choiceEvents(choice, choiceIndex(choice, 0));
  return events.length === 1 ? events[0] : undefined;
}

/** The string of an event that may become a frame; undefined if a call begins, since no similar event follows. */
function textOfEvent(event: UpstreamEvent): string | undefined {
  if (event.type === 'text-delta' || event.type === 'reasoning-delta') return event.extra ? undefined : event.text;
  return event.type === 'call-fragment' &&
    event.name === undefined &&
    event.id === undefined &&
    typeof event.arguments === 'string'
    ? event.arguments
    : undefined;
}

function withText(event: UpstreamEvent, text: string): UpstreamEvent {
  if (event.type === 'text-delta') return { type: 'text-delta', choice: event.choice, text };
  return event.type === 'call-fragment' ? { ...event, arguments: text } : ({ ...event, text } as UpstreamEvent);
}
