/** This many failed attempts are free, */
const freeTries = 512;
/** and one more for each of this many characters of text. */
const charactersPerTry = 256;

/**
 * Bounds the cost of a hostile text: to try an opening marker with each of its dialects costs as much as to scan a
 * thousand characters. If markers begin no calls, and are denser than in any prose, code or table, they are treated as
 * text, until enough of it has passed that another attempt is due.
 */
export class Tries {
  private inVain = 0;

  /** `from`: the offset at which the text begins. */
  constructor(private readonly from: number) {}

  /** True if a marker at this offset is to be tried, after so many further attempts that are not counted yet. */
  mayTry(offset: number, further = 0): boolean {
    return this.inVain + further < freeTries + (offset - this.from) / charactersPerTry;
  }

  /** A marker began no call in this many dialects. */
  count(tries = 1): void {
    this.inVain += tries;
  }
}
