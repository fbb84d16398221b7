/** How much of one response is parsed (D-39); the rest is dropped, and the response ends with `length`. */
export interface AnswerBounds {
  /** Characters of text and reasoning, over all choices. */
  readonly text: number;
  /** Characters of native calls: names and arguments. */
  readonly arguments: number;
  /** Calls that were begun, including dropped ones and those in reasoning. */
  readonly calls: number;
}

/** The bounds used when no settings are given. */
export const defaultBounds: AnswerBounds = { text: 8 * 1024 * 1024, arguments: 16 * 1024 * 1024, calls: 1000 };

/** Characters of pass-through fields (log probabilities), which are kept in memory until the response ends. */
export const maxFieldCharacters = 32 * 1024 * 1024;

/** Counts one response against its bounds. */
export class AnswerMeter {
  private text = 0;
  private arguments = 0;
  private calls = 0;
  private fields = 0;

  constructor(readonly bounds: AnswerBounds) {}

  /** Characters of text that are still allowed. */
  get textLeft(): number {
    return this.bounds.text - this.text;
  }

  addText(length: number): void {
    this.text += length;
  }

  addArguments(length: number): void {
    this.arguments += length;
  }

  addCall(): void {
    this.calls++;
  }

  addFields(length: number): void {
    this.fields += length;
  }

  /** The bound that is exceeded, in words; undefined if none is. */
  get exceeded(): string | undefined {
    const { bounds } = this;
    if (this.text > bounds.text) return `${bounds.text} characters of text`;
    if (this.arguments > bounds.arguments) return `${bounds.arguments} characters of arguments`;
    if (this.calls > bounds.calls) return `${bounds.calls} calls`;
    if (this.fields > maxFieldCharacters) return `${maxFieldCharacters} characters of fields that are passed on`;
    return undefined;
  }
}
