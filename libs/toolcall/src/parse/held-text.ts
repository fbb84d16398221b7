import type { ParserOutput } from './parser-output.ts';

/**
 * Text that waits for what comes next. A frame is left out only if a call follows it, a turn-end token also if nothing does:
 *
 *     "<answer>  <|im_end|>" + a call   nothing goes out
 *     "<answer>  <|im_end|>" + the end  "<answer>  " goes out
 *     "<answer>  <|im_end|>" + "more"   all of it goes out
 */
export class HeldText {
  private held = '';
  /** Behind this index stand nothing but turn-end tokens and white space. */
  private tokensAt = 0;
  /** Where the first of these tokens stands in the choice's raw text. */
  private tokensFrom = 0;

  constructor(private readonly to: { readonly output: ParserOutput }) {}

  /** The same text, put out somewhere else. */
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

  /** Puts text out, behind what is held; white space waits with it. */
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

  /** The text goes on: what was held is part of it. */
  release(): void {
    if (this.held !== '') this.to.output.emitText(this.held);
    this.held = '';
    this.tokensAt = 0;
  }

  /** A call follows: all of it is left out. */
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
