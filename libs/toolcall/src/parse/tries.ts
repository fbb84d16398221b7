/** So many tries that come to nothing are free, */
const freeTries = 512;
/** and one more for each so many characters of text. */
const charactersPerTry = 256;

/**
 * Bounds what a hostile text can cost: to try an opening marker, with each dialect that has it, takes as long as to pass
 * a thousand characters. Where markers begin no calls, and stand closer than in any prose, code or table, they are text
 * from there on, until so much of it has passed that another try is due.
 */
export class Tries {
  private inVain = 0;

  /** `from`: the offset at which the text begins. */
  constructor(private readonly from: number) {}

  /** True if a marker at this offset is to be tried. */
  mayTry(offset: number): boolean {
    return this.inVain < freeTries || this.inVain < freeTries + (offset - this.from) / charactersPerTry;
  }

  /** A marker began no call, in so many dialects. */
  count(tries = 1): void {
    this.inVain += tries;
  }
}
