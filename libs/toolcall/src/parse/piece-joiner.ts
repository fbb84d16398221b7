/** This many pieces may be costly, */
const freePieces = 1024;
/** and one more for each of this many characters of text. */
const charactersPerPiece = 128;

/**
 * Bounds the cost of a hostile text in small pieces. A piece is costly if it resumes the grammar, which may be nested ten
 * deep, or ends in the middle of what may become a marker. If more are than in any prose or code, pieces wait for each
 * other:
 *
 *     pieces    {"a"   :[{"  a":[   {"a"   :[{"  a":[
 *     parsed    {"a":[{"a":[{"a":[{"a":[
 *
 * So no text waits for more than 128 characters.
 */
export class PieceJoiner {
  private costly = 0;
  private waiting = '';

  /** True if pieces wait. */
  get holds(): boolean {
    return this.waiting !== '';
  }

  /** The text to parse now that this piece has arrived, after `before` characters that were parsed; '' if it waits. */
  join(piece: string, before: number): string {
    const text = this.waiting === '' ? piece : this.waiting + piece;
    const isDue =
      text.length >= charactersPerPiece || this.costly < freePieces + (before + text.length) / charactersPerPiece;
    this.waiting = isDue ? '' : text;
    return isDue ? text : '';
  }

  /** The text that was parsed last was costly. */
  count(): void {
    this.costly++;
  }

  /** The pieces that wait. They wait no more. */
  rest(): string {
    const { waiting } = this;
    this.waiting = '';
    return waiting;
  }
}
