import type { Sink, Stage } from '@callsmith/stream';
import { type Fault, type FinishReason, type Turn, type TurnEvent, type Usage, writeJson } from '@callsmith/turn';
import type { ResponseHead } from '../../inbound-adapter.ts';
import { callPart, finishReasonOf, showsThoughts, usageMetadata } from './candidate.ts';
import { errorFrames } from './errors.ts';
import { isOneValue, valueIn } from './one-value.ts';

/** A heartbeat without text. The SDK for Python would parse a comment as JSON. */
export const emptyFrame = (head: ResponseHead): string => frame(0, '{"text":""}', head);

/**
 * Converts events to this API's: each is a part of a candidate, a call is one part once it is complete, and the last
 * has the finish reason and the counts. Frames are joined from text; only the variable parts are stringified.
 */
export const generateFrames =
  (turn: Turn, head: ResponseHead): Stage<TurnEvent, string> =>
  (next) =>
    new GenerateStream(turn, head, next);

/** One frame with one part, as JSON, and other members of the candidate and of the response. */
function frame(choice: number, part: string, head: ResponseHead, ending = '', counts = ''): string {
  return `data: {"candidates":[{"content":{"parts":[${part}],"role":"model"}${ending},"index":${choice}}]${counts}${tailOf(head)}`;
}

const tailOf = ({ id, model }: ResponseHead): string =>
  `,"modelVersion":${JSON.stringify(model)},"responseId":${JSON.stringify(id)}}\n\n`;

interface HeldCall {
  readonly id: string;
  readonly name: string;
  readonly parts: string[];
}

/** One candidate in progress. */
interface Candidate {
  readonly calls: Map<number, HeldCall>;
  /** The model's thoughts since the last call. */
  reasoning: string[];
  reason: FinishReason | undefined;
  /** Text that is buffered until it is complete. */
  held: string;
}

class GenerateStream implements Sink<TurnEvent> {
  private readonly candidates: Candidate[] = [];
  private readonly thoughts: boolean;
  /** The response is one enum value, which is extracted from the model output. */
  private readonly oneValue: boolean;
  /** A text frame without its text. */
  private readonly textTail: string;
  private ended = false;
  private usage: Usage | undefined;

  constructor(
    private readonly turn: Turn,
    private readonly head: ResponseHead,
    private readonly next: Sink<string>,
  ) {
    this.thoughts = showsThoughts(turn);
    this.oneValue = isOneValue(turn);
    this.textTail = `}],"role":"model"},"index":0}]${tailOf(head)}`;
  }

  push(event: TurnEvent): void {
    if (this.ended) return;
    switch (event.type) {
      case 'text-delta':
        if (this.oneValue) this.candidate(event.choice).held += event.text;
        else if (event.text !== '') this.text(event.choice, JSON.stringify(event.text));
        return;
      case 'reasoning-delta':
        if (event.text !== '') this.reasoning(event.choice, event.text);
        return;
      case 'tool-start':
        this.candidate(event.choice).calls.set(event.index, { id: event.id, name: event.name, parts: [] });
        return;
      case 'tool-delta':
        this.candidate(event.choice).calls.get(event.index)?.parts.push(event.json);
        return;
      case 'tool-end':
        this.call(event.choice, event.index, event.whole);
        return;
      case 'usage':
        this.usage = event;
        return;
      case 'turn-end':
        this.candidate(event.choice).reason = event.reason;
        return;
      default:
    }
  }

  /** Text that needs no JSON escapes. */
  pushText(text: string): boolean {
    if (this.ended || this.oneValue) return false;
    if (text !== '') this.text(0, `"${text}"`);
    return true;
  }

  flush(): void {
    this.next.flush();
  }

  end(fault?: Fault): void {
    if (this.ended) return;
    this.ended = true;
    if (fault) this.next.push(errorFrames(fault));
    else this.finish();
    this.next.end();
  }

  private candidate(choice: number): Candidate {
    while (this.candidates.length <= choice)
      this.candidates.push({ calls: new Map(), reasoning: [], reason: undefined, held: '' });
    return this.candidates[choice] as Candidate;
  }

  private text(choice: number, json: string): void {
    if (choice === 0) this.next.push(`data: {"candidates":[{"content":{"parts":[{"text":${json}${this.textTail}`);
    else this.next.push(frame(choice, `{"text":${json}}`, this.head));
  }

  private reasoning(choice: number, text: string): void {
    this.candidate(choice).reasoning.push(text);
    if (this.thoughts) this.next.push(frame(choice, `{"text":${JSON.stringify(text)},"thought":true}`, this.head));
  }

  private call(choice: number, index: number, whole: boolean): void {
    const candidate = this.candidate(choice);
    const call = candidate.calls.get(index);
    candidate.calls.delete(index);
    // A call that was cut is no part; the following fault or finish reason explains it.
    if (!call || !whole) return;
    const part = callPart(this.turn, { ...call, arguments: call.parts.join('') }, candidate.reasoning.join(''));
    candidate.reasoning = [];
    this.next.push(frame(choice, writeJson(part), this.head));
  }

  /** The counts are sent once, with the last candidate. */
  private finish(): void {
    this.candidate(0);
    const counts = writeJson(usageMetadata(this.usage)).slice(1, -1);
    const last = this.candidates.length - 1;
    for (const [choice, { reason, held }] of this.candidates.entries())
      this.next.push(
        frame(
          choice,
          `{"text":${JSON.stringify(valueIn(held))}}`,
          this.head,
          `,"finishReason":"${finishReasonOf(reason)}"`,
          choice === last && counts !== '' ? `,${counts}` : '',
        ),
      );
  }
}
