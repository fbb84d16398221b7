const most = 128;

/** Text that comes in many small pieces, joined now and then, so that a long value does not live as thousands of strings. */
export class Pieces {
  private large: string[] = [];
  private small: string[] = [];

  get isEmpty(): boolean {
    return this.small.length === 0 && this.large.length === 0;
  }

  push(piece: string): void {
    this.small.push(piece);
    if (this.small.length < most) return;
    this.large.push(this.small.join(''));
    this.small = [];
  }

  /** All of it as one text. */
  text(): string {
    if (this.small.length > 0) this.large.push(this.small.join(''));
    this.small = [];
    if (this.large.length > 1) this.large = [this.large.join('')];
    return this.large[0] ?? '';
  }

  clear(): void {
    this.large = [];
    this.small = [];
  }
}
