import type { Sink, Stage } from '@callsmith/stream';
import {
  type CallFragment,
  type Fault,
  type FinishReason,
  type JsonObject,
  needsNoEscape,
  sizeOf,
  type TurnEvent,
  type UpstreamEvent,
  type Usage,
} from '@callsmith/turn';
import { type AnswerBounds, AnswerMeter, defaultBounds } from './answer-bounds.ts';
import { dialectNamed, dialects } from './dialects/index.ts';
import { CallEmitter } from './finalize/call-emitter.ts';
import type { CallQueueOptions, Choice } from './finalize/call-queue.ts';
import type { PendingCall } from './finalize/pending-call.ts';
import type { Unusable, Withholding } from './finalize/unusable.ts';
import { NativeCalls } from './native-calls.ts';
import { callLimitReached, type ParserOutput } from './parse/parser-output.ts';
import { SpeculativeParser } from './parse/speculative-parser.ts';
import { partParser, TextParser } from './parse/text-parser.ts';
import type { TextParserOptions } from './parse/text-parser-options.ts';
import { WithheldEvents } from './withheld-events.ts';

/** What the parser of one response needs to know of its request; if no tools are on offer the text is not parsed. */
export interface ParseCallsOptions extends CallQueueOptions {
  /** Name of the model's dialect, or `auto`. */
  readonly dialect: string;
  /**
   * False: the dialect was not configured by hand, so what is recognized for `auto` is recognized as well (D-33).
   * Default true.
   */
  readonly dialectDeclared?: boolean;
  /** The model is known to call natively or with markers: after prose, text without a marker is not a call (D-33). */
  readonly marksCalls?: boolean;
  /** The prompt's template opens the reasoning block. */
  readonly reasoningPrefilled?: boolean;
  /** A call in closed reasoning is emitted if the answer has nothing else (D-45). */
  readonly promoteReasoningCalls?: boolean;
  readonly newCallId?: () => string;
  /** How much of the response is parsed. */
  readonly bounds?: AnswerBounds | undefined;
  /**
   * Receives a one-choice answer without the usable call that was intended, in place of the answer's end (D-35). Output
   * from its first unusable call on is withheld until `release`. Absent: every answer is emitted as it is.
   */
  readonly onUnusable?: ((answer: UnusableAnswer) => void) | undefined;
}

/** An answer without the usable call that was intended. */
export interface UnusableAnswer {
  readonly unusable: Unusable;
  /** Its token counts, if it reported them. */
  readonly usage: Usage | undefined;
  /** Emits it unchanged, including its end. */
  release(): void;
}

/**
 * Long pieces of text are parsed in slices of this many characters, and the bounds are checked between them: without
 * that one piece could hold ten thousand calls.
 */
const sliceLength = 16 * 1024;

/**
 * Parses native fragments and calls in text; repairs, numbers, holds and streams them, and reports how each choice
 * ended.
 */
export const parseCalls =
  (options: ParseCallsOptions): Stage<UpstreamEvent, TurnEvent> =>
  (next) =>
    new CallParser(options, next);

/** An id for a call: `call_` and 24 random characters. */
export function newCallId(): string {
  return `call_${crypto.randomUUID().replaceAll('-', '').slice(0, 24)}`;
}

class CallParser implements Sink<UpstreamEvent> {
  private readonly choices = new Map<number, ChoiceParser>();
  /** Choice 0, which is nearly always the only one. */
  private first: ChoiceParser | undefined;
  /** Created in advance, so that the first token does not wait for it. */
  private readonly ready: ChoiceParser;
  private readonly meter: AnswerMeter;
  private over = false;
  private readonly withholding: Withholding | undefined;
  /** The held events of an answer that may be requested again. */
  private withheld: WithheldEvents | undefined;

  constructor(
    private readonly options: ParseCallsOptions,
    private next: Sink<TurnEvent>,
  ) {
    this.meter = new AnswerMeter(options.bounds ?? defaultBounds);
    if (options.onUnusable) this.withholding = this.withhold(next);
    this.ready = this.made(0);
  }

  push(event: UpstreamEvent): void {
    if (this.over) return;
    if (event.type === 'text-delta' && event.extra === undefined) {
      this.text(event);
      return;
    }
    switch (event.type) {
      case 'text-delta':
      case 'reasoning-delta':
        this.text(event);
        if (event.extra && !this.over) this.fields(event, event.extra);
        return;
      case 'call-fragment':
        this.meter.addArguments(lengthOf(event));
        this.choice(event.choice).fragment(event);
        this.endIfExceeded();
        return;
      case 'turn-end': {
        const reason = this.choice(event.choice).end(event.reason, false);
        if (reason) this.next.push({ ...event, reason });
        return;
      }
      default:
        this.next.push(event);
    }
  }

  pushText(text: string): boolean {
    if (text.length > this.meter.textLeft) return false;
    const out = this.first?.plainText(text);
    if (out === undefined) return false;
    this.meter.addText(text.length);
    // Line breaks that were held until text followed have to be escaped in JSON.
    if (out !== '' && !((out === text || needsNoEscape(out)) && this.next.pushText?.(out)))
      this.next.push({ type: 'text-delta', choice: 0, text: out });
    return true;
  }

  flush(): void {
    this.next.flush();
  }

  end(fault?: Fault): void {
    if (this.over) return;
    this.over = true;
    // What a broken stream would still have delivered is unknown.
    if (fault) this.withholding?.end();
    if (this.choices.size === 0 && !fault) this.choice(0);
    let ownFault: Fault | undefined;
    for (const [index, choice] of this.choices) {
      const reason = choice.end(undefined, fault !== undefined);
      if (reason && !fault) this.next.push({ type: 'turn-end', choice: index, reason });
      ownFault ??= choice.fault;
    }
    this.next.end(ownFault ?? fault);
    const { withheld, first } = this;
    if (withheld && first?.unusable)
      this.options.onUnusable?.({
        unusable: first.unusable,
        usage: withheld.usage,
        release: () => this.withholding?.end(),
      });
  }

  /** Holds events, once, until the answer is released. */
  private withhold(next: Sink<TurnEvent>): Withholding {
    let over = false;
    return {
      begin: () => {
        if (over || this.withheld) return;
        this.withheld = this.next = new WithheldEvents(next);
      },
      end: () => {
        if (over) return;
        over = true;
        this.next = next;
        this.withheld?.release();
        this.withheld = undefined;
      },
    };
  }

  /** Parses text or reasoning, as far as the bounds allow. */
  private text({ type, choice: index, text }: UpstreamEvent & { type: 'text-delta' | 'reasoning-delta' }): void {
    const { meter } = this;
    const choice = this.choice(index);
    const within = text.slice(0, meter.textLeft);
    for (let at = 0; at === 0 || (at < within.length && meter.exceeded === undefined); at += sliceLength) {
      const piece = within.slice(at, at + sliceLength);
      meter.addText(piece.length);
      if (type === 'text-delta') choice.text(piece);
      else choice.reasoning(piece);
    }
    meter.addText(text.length - within.length);
    this.endIfExceeded();
  }

  private fields(
    { type, choice }: UpstreamEvent & { type: 'text-delta' | 'reasoning-delta' },
    extra: JsonObject,
  ): void {
    this.meter.addFields(sizeOf(extra));
    this.next.push({ type, choice, text: '', extra });
    this.endIfExceeded();
  }

  /** D-39: beyond its bounds the answer ends as if the model's own token limit had ended it. */
  private endIfExceeded(): void {
    const bound = this.meter.exceeded;
    if (bound === undefined || this.over) return;
    this.over = true;
    this.withholding?.end();
    const detail = `the response was ended at ${bound}`;
    let ownFault: Fault | undefined;
    for (const [index, choice] of this.choices) {
      if (choice.isOver) continue;
      this.next.push({ type: 'note', choice: index, note: { class: 'Truncated', stage: 'upstream', detail } });
      const reason = choice.end('length', false);
      if (reason) this.next.push({ type: 'turn-end', choice: index, reason: 'length' });
      ownFault ??= choice.fault;
    }
    this.next.end(ownFault);
  }

  private choice(index: number): ChoiceParser {
    if (index === 0 && this.first) return this.first;
    let choice = this.choices.get(index);
    if (!choice) {
      choice = index === 0 ? this.ready : this.made(index);
      this.choices.set(index, choice);
      if (index === 0) this.first = choice;
    }
    return choice;
  }

  private made(index: number): ChoiceParser {
    const { options, meter } = this;
    // Only the first choice is requested again: nothing would release what another choice held.
    const withholding = index === 0 ? this.withholding : undefined;
    const choice = { index, newCallId: options.newCallId ?? newCallId, meter, withholding };
    return new ChoiceParser(options, choice, (event) => this.next.push(event));
  }
}

/** Characters in a fragment. */
const lengthOf = ({ name, arguments: json }: CallFragment): number =>
  (name?.length ?? 0) +
  (typeof json === 'string' ? json.length : json === undefined ? 0 : (JSON.stringify(json)?.length ?? 0));

/** One of the `n` answers. */
class ChoiceParser {
  private readonly emitter: CallEmitter;
  private readonly parser: TextParser | undefined;
  private readonly native: NativeCalls;
  private readonly parserOptions: TextParserOptions;
  private readonly meter: AnswerMeter;
  private speculative: SpeculativeParser | undefined;
  private over = false;
  /** Calls were found in closed reasoning; of them, those that may be the answer. */
  private inReasoning: readonly PendingCall[] | undefined;

  constructor(
    options: ParseCallsOptions,
    private readonly choice: Choice,
    private readonly emit: (event: TurnEvent) => void,
  ) {
    const emitter = new CallEmitter(options, choice, emit);
    this.emitter = emitter;
    this.meter = choice.meter;
    this.native = new NativeCalls(options.tools, (rawName) => {
      this.speculative = undefined;
      return emitter.open(rawName, 'native');
    });
    const own = dialectNamed(options.dialect);
    this.parserOptions = {
      tools: options.tools,
      own,
      marksCalls: options.marksCalls ?? false,
      unmarked: own === undefined || options.dialectDeclared === false,
      dialects,
      promotes: options.promoteReasoningCalls ?? false,
      prefilled: options.reasoningPrefilled ?? false,
    };
    if (options.tools.size > 0 && options.toolChoice !== 'none') {
      this.parser = new TextParser(this.parserOutput(), this.parserOptions);
    }
  }

  get fault(): Fault | undefined {
    return this.emitter.fault;
  }

  get unusable(): Unusable | undefined {
    return this.emitter.unusable;
  }

  get isOver(): boolean {
    return this.over;
  }

  text(text: string): void {
    if (this.over) return;
    if (this.parser) {
      this.parser.push(text);
      this.emitter.flushText();
    } else if (text !== '') this.emit({ type: 'text-delta', choice: this.choice.index, text });
  }

  /** Like `text`, but returns the text to emit; undefined: a call may begin in it, and nothing was consumed. */
  plainText(text: string): string | undefined {
    if (this.over) return undefined;
    if (!this.parser) return text;
    return this.parser.pushPlain(text) ? this.emitter.takeText() : undefined;
  }

  reasoning(text: string): void {
    if (this.over) return;
    this.catchUp();
    this.emit({ type: 'reasoning-delta', choice: this.choice.index, text });
    if (!this.parser) return;
    this.speculative ??= new SpeculativeParser(this.parserOutput(), partParser(this.parserOptions), undefined, false);
    this.speculative.push(text);
  }

  fragment(fragment: Parameters<NativeCalls['push']>[0]): void {
    if (this.over) return;
    this.catchUp();
    this.native.push(fragment);
  }

  /** Text precedes what follows it, also where the parser joins it in larger pieces. */
  private catchUp(): void {
    if (!this.parser) return;
    this.parser.catchUp();
    this.emitter.flushText();
  }

  /** Ends the choice; returns our finish reason, or undefined if it had ended already or ends with a fault. */
  end(reason: FinishReason | undefined, cut: boolean): FinishReason | undefined {
    if (this.over) return undefined;
    this.over = true;
    const short = cut || reason === 'length' || reason === 'content_filter';
    this.parser?.end(short);
    this.emitter.closeTogether(() => this.native.end(reason, cut));
    this.speculative?.finish(short);
    const { inReasoning } = this;
    if (inReasoning && this.emitter.isEmpty && !short) {
      for (const call of inReasoning) call.repairWhole('promote-reasoning');
      this.emitter.commit(inReasoning);
    }
    const finishReason = this.emitter.finish(reason, inReasoning !== undefined);
    return this.emitter.fault ? undefined : finishReason;
  }

  private parserOutput(): ParserOutput {
    const { emitter, meter } = this;
    return {
      // Not a getter: V8 makes a hidden class for each literal with one, in the old generation, which through its function
      // keeps the parser and all of its request until the next full collection.
      isFull: () => meter.exceeded !== undefined,
      emitText: (text: string) => {
        if (this.speculative && text.trim() !== '') this.speculative = undefined;
        emitter.emitText(text);
      },
      emitWhitespace: (space) => emitter.whitespaceAfterMarker(space),
      emitReasoning: (text) => emitter.emitReasoning(text),
      openCall: (rawName) => {
        if (this.meter.exceeded !== undefined) throw callLimitReached;
        this.speculative = undefined;
        return emitter.open(rawName, 'text');
      },
      openSpeculative: (rawName, observer) => {
        if (this.meter.exceeded !== undefined) throw callLimitReached;
        return emitter.createSpeculative(rawName, 'text', observer);
      },
      commit: (calls) => {
        this.speculative = undefined;
        emitter.commit(calls);
      },
      leaveInReasoning: (promotable) => {
        this.inReasoning = promotable;
      },
      note: (detail, range) => emitter.noteText(detail, range),
    };
  }
}
