/** Pieces and characters after which the pieces are joined. */
const most = 128;
const longest = 512;

/**
 * Text from many small pieces, joined now and then: a long value is not kept as thousands of strings, each of which may
 * retain the whole network read that it was cut from. Each character is copied twice.
 */
export class StringBuilder {
  private large: string[] = [];
  private largeLength = 0;
  /** Only the first `count` strings count; the rest are empty, as reusing the array is cheaper than growing a new one. */
  private readonly small: string[] = [];
  private count = 0;
  private smallLength = 0;

  get isEmpty(): boolean {
    return this.count === 0 && this.large.length === 0;
  }

  /** UTF-16 code units of the whole text. */
  get length(): number {
    return this.largeLength + this.smallLength;
  }

  push(piece: string): void {
    this.small[this.count++] = piece;
    this.smallLength += piece.length;
    if (this.count === most || this.smallLength >= longest) this.join();
  }

  /** The whole text as one string. */
  text(): string {
    if (this.count > 0) this.join();
    if (this.large.length > 1) this.large = [this.large.join('')];
    return this.large[0] ?? '';
  }

  /** The last `length` characters. The text before them costs nothing. */
  last(length: number): string {
    if (this.count > 0) this.join();
    const [at, left] = this.split(length);
    const first = this.large[at]?.slice(left) ?? '';
    return at + 1 >= this.large.length ? first : first + this.large.slice(at + 1).join('');
  }

  /** Removes the last `length` characters and returns them. */
  takeLast(length: number): string {
    const taken = this.last(length);
    const [at, left] = this.split(length);
    const first = this.large[at]?.slice(0, left);
    this.large.length = at;
    if (first) this.large.push(first);
    this.largeLength -= taken.length;
    return taken;
  }

  clear(): void {
    this.count = 0;
    this.small.length = 0;
    if (this.large.length > 0) this.large = [];
    this.largeLength = this.smallLength = 0;
  }

  /** The index of the string in which the last `length` characters begin, and the offset in it. */
  private split(length: number): [at: number, left: number] {
    let at = this.large.length;
    let missing = length;
    while (missing > 0 && at > 0) missing -= (this.large[--at] as string).length;
    return [at, Math.max(0, -missing)];
  }

  private join(): void {
    this.small.length = this.count;
    this.large.push(this.small.join(''));
    this.small.fill('');
    this.largeLength += this.smallLength;
    this.count = this.smallLength = 0;
  }
}
