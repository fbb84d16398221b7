import type { TurnEvent } from '@callsmith/turn';
import { trailingHighSurrogate } from './surrogates.ts';

/** Characters from which on a text is no announcement. */
const shortest = 120;

/**
 * True for a whole text that only announces what comes next: short, with a colon at its end and no question in it. What is
 * said beyond this form is no sign: lists of phrases fire on finished answers.
 */
export const isAnnouncement = (text: string): boolean =>
  text.length < shortest && /[:：]\s*$/.test(text) && !/[?？]/.test(text);

/**
 * Sends one choice's text and reasoning. White space at the end of either waits: it is insignificant if a call follows, and part of the text if
 * text follows.
 */
export class TextOutput {
  /** Some text went out, or is about to. */
  hasText = false;
  private hasReasoning = false;
  private whitespace = '';
  private reasoningWhitespace = '';
  /** The first half of a character, which goes out with the other. */
  private highSurrogate = '';
  /** Text that goes out as one piece with the next event. */
  private unsent = '';
  /** The text, or of a longer one so much that it is seen to be longer. */
  beginning = '';

  constructor(
    private readonly choice: number,
    private readonly next: (event: TurnEvent) => void,
  ) {}

  emitText(text: string): void {
    const last = text.charCodeAt(text.length - 1);
    // Nearly every piece ends in a printable ASCII character, with no white space waiting before it.
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

  /** Text that goes out as it is, its outer white space included. */
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

  /** Sends an event behind all text that came before it. */
  emit(event: TurnEvent): void {
    this.flush();
    this.next(event);
  }

  /** A call begins: white space before the answer's first text is insignificant. */
  dropLeadingWhitespace(): void {
    if (!this.hasText) this.whitespace = '';
  }

  /** White space behind a call or a marker: it counts only where nothing else parts two texts. */
  whitespaceAfterMarker(space: string): void {
    if (this.hasText && this.whitespace === '') this.whitespace = space;
  }

  /** White space that still waits is text: no call came. */
  keepWhitespace(): void {
    if (this.whitespace !== '') this.append(this.takeWhitespace());
  }

  /** Sends the text that came since the last piece of input. */
  flush(): void {
    const text = this.takeText();
    if (text !== '') this.next({ type: 'text-delta', choice: this.choice, text });
  }

  /** The text that came since the last piece of input, for one who sends it on. */
  takeText(): string {
    const text = this.unsent;
    this.unsent = '';
    return text;
  }

  /** Sends the rest, half a character included. */
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
