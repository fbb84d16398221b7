const most = 128;

/** Text that comes in many small pieces, joined now and then, so that a long value does not live as thousands of strings. */
export class StringBuilder {
  private large: string[] = [];
  /** Its first `count` strings; the rest is from before, as filling it again is cheaper than growing another. */
  private readonly small: string[] = [];
  private count = 0;

  get isEmpty(): boolean {
    return this.count === 0 && this.large.length === 0;
  }

  push(piece: string): void {
    this.small[this.count++] = piece;
    if (this.count === most) this.join();
  }

  /** All of it as one text. */
  text(): string {
    if (this.count > 0) this.join();
    if (this.large.length > 1) this.large = [this.large.join('')];
    return this.large[0] ?? '';
  }

  clear(): void {
    this.count = 0;
    this.small.length = 0;
    if (this.large.length > 0) this.large = [];
  }

  private join(): void {
    this.small.length = this.count;
    this.large.push(this.small.join(''));
    this.count = 0;
  }
}
