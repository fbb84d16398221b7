import type { ToolTable } from '@callsmith/turn';

/** Characters examined of a line. */
const longestLine = 400;

/** Markdown syntax before a line's words. */
const lead = /^[\s>*#`-]*/;
const fence = /^\s*(?:```|~~~)/;

/**
 * Separates the text of a model that decides, but makes no calls itself, from its intent, which begins with the first
 * line `CALL <tool on offer>:` outside of code. A last line `ANSWER` is left out.
 *
 *     I look it up.⏎⏎CALL weather: city Köln        text, then an intent
 *     It is 5 °C.⏎ANSWER                            text
 */
export class IntentParser {
  /** All from the first `CALL` line on; empty: there is none. */
  intent = '';
  /** The whole output. */
  text = '';
  private line = '';
  private lineIsText = false;
  private inCode = false;
  /** Whitespace, and an `ANSWER` line, until it is known whether text follows. */
  private held = '';
  private readonly names: readonly string[];

  constructor(
    tools: ToolTable,
    private readonly emit: (text: string) => void,
  ) {
    this.names = tools.list.map(({ name }) => name);
  }

  push(text: string): void {
    this.text += text;
    if (this.intent !== '') this.intent += text;
    else for (const piece of text.split(/(?<=\n)/)) this.take(piece);
  }

  /** What was not emitted: the intent, and the whitespace before it. */
  get withheld(): string {
    return this.intent === '' ? '' : this.held + this.intent;
  }

  /** The output is over. */
  end(): void {
    if (this.intent !== '') return;
    this.take('', true);
    if (!this.held.includes(answer)) this.emit(this.held);
    this.held = '';
  }

  private take(piece: string, isOver = false): void {
    if (this.intent !== '') {
      this.intent += piece;
      return;
    }
    if (!this.lineIsText) this.line += piece;
    const isWhole = isOver || piece.endsWith('\n');
    if (this.lineIsText) this.pass(piece);
    else if (!this.mayWait(isWhole)) {
      if (this.intent !== '') return;
      this.lineIsText = true;
      if (fence.test(this.line)) this.inCode = !this.inCode;
      this.pass(this.line);
    }
    if (!isWhole) return;
    this.line = '';
    this.lineIsText = false;
  }

  /** False if the line so far is text, or intends a call. */
  private mayWait(isWhole: boolean): boolean {
    const words = this.line.slice(0, longestLine).replace(lead, '');
    if (words === '' && !isWhole) return this.line.length < longestLine;
    if (this.inCode) return false;
    if (words.trimEnd().replace(/[*`]+$/, '') === answer) {
      if (isWhole) this.held += this.line;
      return true;
    }
    if (!isWhole && (call.startsWith(words) || answer.startsWith(words))) return true;
    if (!words.startsWith(call)) return false;
    const rest = words.slice(call.length).replace(/^[\s`*]+/, '');
    const isNamed = this.names.some((name) => {
      const behind = rest.slice(name.length);
      return rest.startsWith(name) && (behind === '' ? isWhole : /^[\s:`*(]/.test(behind));
    });
    if (isNamed) this.intent = this.line;
    return !isNamed && !isWhole && this.names.some((name) => name.startsWith(rest) || rest.startsWith(name));
  }

  private pass(text: string): void {
    const end = text.trimEnd().length;
    if (end === 0) {
      this.held += text;
      return;
    }
    this.emit(this.held + text.slice(0, end));
    this.held = text.slice(end);
  }
}

const call = 'CALL ';
const answer = 'ANSWER';
