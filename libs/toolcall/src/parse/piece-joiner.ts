/** This many pieces may resume the grammar at once, */
const freeResumptions = 1024;
/** and one more for each of this many characters of text. */
const charactersPerResumption = 64;

/**
 * Bounds the cost of a hostile text in small pieces: to resume a grammar nested ten deep costs as much as to scan a
 * hundred characters. If more pieces than in any prose or code resume it, pieces wait for each other:
 *
 *     pieces        {"a"   :[{"  a":[   {"a"   :[{"  a":[
 *     parsed        {"a":[{"a":[{"a":[{"a":[
 *
 * So no text waits for more than 64 characters.
 */
export class PieceJoiner {
  private resumptions = 0;
  private waiting = '';

  /** True if pieces wait. */
  get holds(): boolean {
    return this.waiting !== '';
  }

  /** The text to parse now that this piece has arrived, after `before` characters that were parsed; '' if it waits. */
  join(piece: string, before: number): string {
    const text = this.waiting === '' ? piece : this.waiting + piece;
    const isDue = this.resumptions < freeResumptions + (before + text.length) / charactersPerResumption;
    this.waiting = isDue ? '' : text;
    return isDue ? text : '';
  }

  /** The grammar was resumed. */
  count(): void {
    this.resumptions++;
  }

  /** The pieces that wait. They wait no more. */
  rest(): string {
    const { waiting } = this;
    this.waiting = '';
    return waiting;
  }
}
