import type { CallObserver, PendingCall } from '../finalize/pending-call.ts';
import type { Scanner } from '../scanner.ts';
import type { ParserOutput } from './parser-output.ts';

/** The most that is held: characters of white space and reasoning, and bytes of arguments. */
const most = 8 * 1024;

/**
 * The most characters of text that are kept while no call is certain, e.g. while a closing bracket is awaited: if it
 * turns out to be text, all of it is parsed again at once.
 */
export const longestUndecided = 64 * 1024;

/** The scope in which no prose may follow the calls. */
export type HeldScope = 'answer' | 'line';

/** Anything but white space, surplus closing brackets, and the end of a sentence. */
const prose = /[^\s\])}.,;]/;

/**
 * Thrown if visible text follows calls that count only with none after them, or if no name is on offer: they are text
 * then.
 */
export const proseFollows = Symbol('prose follows');

/**
 * Holds calls that could be prose, and all output after them, until it is known that no prose follows: up to the end of
 * the line, or of the answer:
 *
 *     Tool: f(a=1)⏎That is it.     a call, then text
 *     [f(a=1)]                     a call, once the answer ends
 *     [f(a=1)] is what I'd call    text
 *
 * Beyond a size limit they count, whatever follows.
 */
export class HeldCalls implements ParserOutput {
  private readonly waiting: (() => void)[] = [];
  private size = 0;
  /** The last call, and its share of `size`. */
  private call: PendingCall | undefined;
  private callSize = 0;
  private decided = false;
  /** At least one of the calls is on offer. */
  private offered = false;
  private readonly observer: CallObserver = {
    progressed: (call) => {
      if (call !== this.call) return;
      this.size += call.bytes - this.callSize;
      this.callSize = call.bytes;
      if (this.size > most) this.release();
    },
    sent: () => false,
    repaired: () => {},
    rangeKnown: () => {},
  };

  constructor(
    private readonly output: ParserOutput,
    /** Retains the text from the first call on. */
    private readonly scan: Scanner,
    readonly until: HeldScope,
    private readonly accepted: () => void,
  ) {}

  /** The calls count: they are emitted, with all output that waits after them. */
  accept(): void {
    this.checkLength();
    this.release();
  }

  private release(): void {
    if (this.decided) return;
    if (!this.offered) throw proseFollows;
    this.decided = true;
    this.accepted();
    for (const emit of this.waiting) emit();
    this.waiting.length = 0;
  }

  isFull(): boolean {
    return this.output.isFull();
  }

  emitText(text: string): void {
    if (!this.decided && prose.test(text)) {
      if (!this.lineEnded()) throw proseFollows;
      this.accept();
    }
    this.hold(text.length, () => this.output.emitText(text));
  }

  emitWhitespace(space: string): void {
    this.hold(space.length, () => this.output.emitWhitespace(space));
  }

  emitReasoning(text: string): void {
    this.hold(text.length, () => this.output.emitReasoning(text));
  }

  openCall(rawName: string): PendingCall {
    // A call that needs only its line is decided when another call begins.
    if (this.until === 'line' && this.call) this.accept();
    if (this.decided) return this.output.openCall(rawName);
    const call = this.output.openSpeculative(rawName, this.observer);
    this.call = call;
    this.callSize = 0;
    this.offered ||= call.tool !== undefined;
    this.hold(0, () => this.output.commit([call]));
    return call;
  }

  openSpeculative(rawName: string, observer: CallObserver): PendingCall {
    return this.output.openSpeculative(rawName, observer);
  }

  commit(calls: readonly PendingCall[]): void {
    this.offered ||= calls.some((call) => call.tool !== undefined);
    this.hold(0, () => this.output.commit(calls));
  }

  leaveInReasoning(promotable: readonly PendingCall[]): void {
    this.output.leaveInReasoning(promotable);
  }

  note(...note: Parameters<ParserOutput['note']>): void {
    this.hold(0, () => this.output.note(...note));
  }

  /** Call this after more text has arrived. Throws if too much of it is undecided. */
  checkLength(): void {
    if (!this.decided && this.scan.sincePin > longestUndecided) throw proseFollows;
  }

  /** True if the line of the last call has ended and that suffices. */
  private lineEnded(): boolean {
    const end = this.call?.range?.[1];
    if (this.until === 'answer' || end === undefined) return false;
    return /^[^\S\n]*\n/.test(this.scan.textFrom(end));
  }

  private hold(size: number, emit: () => void): void {
    if (this.decided) {
      emit();
      return;
    }
    this.waiting.push(emit);
    this.size += size;
    if (this.size > most) this.release();
  }
}
