import type { ParserOutput } from './parser-output.ts';

/**
 * Text that waits for what follows. A frame is dropped only if a call follows it, a turn-end token also if nothing
 * does:
 *
 *     "<answer>  <|im_end|>" + a call   nothing is emitted
 *     "<answer>  <|im_end|>" + the end  "<answer>  " is emitted
 *     "<answer>  <|im_end|>" + "more"   all of it is emitted
 */
export class HeldText {
  private held = '';
  /** Only turn-end tokens and white space follow this index. */
  private tokensAt = 0;
  /** Offset of the first of these tokens in the choice's raw text. */
  private tokensFrom = 0;

  constructor(private readonly to: { readonly output: ParserOutput }) {}

  /** A copy of the held text with another output. */
  copyFor(to: { readonly output: ParserOutput }): HeldText {
    const copy = new HeldText(to);
    copy.held = this.held;
    copy.tokensAt = this.tokensAt;
    copy.tokensFrom = this.tokensFrom;
    return copy;
  }

  holdFrame(text: string): void {
    this.held += text;
    this.tokensAt = this.held.length;
  }

  holdToken(text: string, offset: number): void {
    if (this.tokensAt === this.held.length) this.tokensFrom = offset;
    this.held += text;
  }

  /** Emits text after what is held; white space is held with it. */
  emit(text: string): void {
    if (this.held !== '') {
      if (text.trim() === '') {
        if (this.tokensAt === this.held.length) this.holdFrame(text);
        else this.held += text;
        return;
      }
      this.release();
    }
    this.to.output.emitText(text);
  }

  /** More text follows: what was held is part of it. */
  release(): void {
    if (this.held !== '') this.to.output.emitText(this.held);
    this.held = '';
    this.tokensAt = 0;
  }

  /** A call follows: all held text is dropped. */
  drop(): void {
    const tokens = this.held.slice(this.tokensAt).trimEnd();
    if (tokens !== '') this.to.output.note('drop-turn-token', [this.tokensFrom, this.tokensFrom + tokens.length]);
    this.held = '';
    this.tokensAt = 0;
  }

  /** Nothing follows: frames are text, as they hold no call. */
  end(): void {
    if (this.tokensAt > 0) this.to.output.emitText(this.held.slice(0, this.tokensAt));
    this.drop();
  }
}
