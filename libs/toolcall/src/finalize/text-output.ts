import type { TurnEvent } from '@callsmith/turn';
import { trailingHighSurrogate } from './surrogates.ts';

/** Least length at which a text is no announcement. */
const shortest = 120;

/**
 * True for a text that only announces the next step: short, ending with a colon, and without a question. Nothing else
 * is tested: lists of phrases also match finished answers.
 */
export const isAnnouncement = (text: string): boolean =>
  text.length < shortest && /[:：]\s*$/.test(text) && !/[?？]/.test(text);

/**
 * Emits one choice's text and reasoning. White space at the end of either is held: it is insignificant if a call
 * follows, and part of the text if text follows.
 */
export class TextOutput {
  /** Some text was emitted, or is about to be. */
  hasText = false;
  private hasReasoning = false;
  private whitespace = '';
  private reasoningWhitespace = '';
  /** The first half of a surrogate pair, which is emitted with the other half. */
  private highSurrogate = '';
  /** Text that is emitted as one piece with the next event. */
  private unsent = '';
  /** The text, or enough of its beginning to show that it is long. */
  beginning = '';

  constructor(
    private readonly choice: number,
    private readonly next: (event: TurnEvent) => void,
  ) {}

  emitText(text: string): void {
    const last = text.charCodeAt(text.length - 1);
    // Fast path: nearly every piece ends in a printable ASCII character, with no white space held before it.
    if (this.whitespace === '' && last > 32 && last < 127) {
      this.append(text);
      return;
    }
    const end = text.trimEnd().length;
    if (end === 0) {
      this.whitespace += text;
      return;
    }
    this.append(this.whitespace + text.slice(0, end));
    this.whitespace = text.slice(end);
  }

  /** Emits text unchanged, with its leading and trailing white space. */
  emitVerbatim(text: string): void {
    this.append(text);
  }

  emitReasoning(text: string): void {
    const wanted = this.hasReasoning ? text : text.trimStart();
    const end = wanted.trimEnd().length;
    if (end === 0) {
      if (this.hasReasoning) this.reasoningWhitespace += wanted;
      return;
    }
    this.hasReasoning = true;
    this.emit({ type: 'reasoning-delta', choice: this.choice, text: this.reasoningWhitespace + wanted.slice(0, end) });
    this.reasoningWhitespace = wanted.slice(end);
  }

  /** Emits an event after all text that came before it. */
  emit(event: TurnEvent): void {
    this.flush();
    this.next(event);
  }

  /** A call begins: white space before the answer's first text is insignificant. */
  dropLeadingWhitespace(): void {
    if (!this.hasText) this.whitespace = '';
  }

  /** White space after a call or a marker: it counts only if nothing else separates two texts. */
  whitespaceAfterMarker(space: string): void {
    if (this.hasText && this.whitespace === '') this.whitespace = space;
  }

  /** Held white space is text: no call came. */
  keepWhitespace(): void {
    if (this.whitespace !== '') this.append(this.takeWhitespace());
  }

  /** Emits the text that was added since the last piece of input. */
  flush(): void {
    const text = this.takeText();
    if (text !== '') this.next({ type: 'text-delta', choice: this.choice, text });
  }

  /** Takes the text that was added since the last piece of input, for a caller that emits it. */
  takeText(): string {
    const text = this.unsent;
    this.unsent = '';
    return text;
  }

  /** Emits the rest, even half a surrogate pair. */
  end(): void {
    this.unsent += this.highSurrogate;
    this.highSurrogate = '';
    this.flush();
  }

  private append(text: string): void {
    const whole = this.highSurrogate + text;
    this.highSurrogate = trailingHighSurrogate(whole);
    this.hasText = true;
    if (this.beginning.length < shortest) this.beginning += whole.slice(0, shortest);
    this.unsent += this.highSurrogate === '' ? whole : whole.slice(0, -1);
  }

  private takeWhitespace(): string {
    const space = this.whitespace;
    this.whitespace = '';
    return space;
  }
}
