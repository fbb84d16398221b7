const most = 128;

/** Text from many small pieces, joined now and then, so that a long value is not kept as thousands of strings. */
export class StringBuilder {
  private large: string[] = [];
  /**
   * Only the first `count` strings are valid; the rest are stale, as reusing the array is cheaper than growing a new
   * one.
   */
  private readonly small: string[] = [];
  private count = 0;

  get isEmpty(): boolean {
    return this.count === 0 && this.large.length === 0;
  }

  push(piece: string): void {
    this.small[this.count++] = piece;
    if (this.count === most) this.join();
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
    return taken;
  }

  clear(): void {
    this.count = 0;
    this.small.length = 0;
    if (this.large.length > 0) this.large = [];
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
    this.count = 0;
  }
}
