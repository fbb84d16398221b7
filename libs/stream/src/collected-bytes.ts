import { type MemberBounds, MemberCount } from './member-count.ts';

/** Collects chunks of bytes, up to a limit. Beyond it nothing is kept. */
export class CollectedBytes {
  /** Received bytes, including those beyond the limit. */
  size = 0;
  private parts: Buffer[] = [];
  private members: MemberCount | undefined;

  /**
   * `bytes`: the maximum kept. `members`: the limit of members if they are JSON text; without it they are not counted.
   */
  constructor(private readonly bounds: { readonly bytes: number; readonly members?: MemberBounds }) {
    this.members = bounds.members && new MemberCount(bounds.members);
  }

  /** Adds a chunk, which must not be changed afterwards. */
  push(bytes: Buffer): void {
    this.size += bytes.length;
    if (this.isTooLong) {
      this.drop();
      return;
    }
    this.parts.push(bytes);
    this.members?.push(bytes);
  }

  /** Discards what was collected so far. */
  drop(): void {
    this.parts = [];
    this.members = undefined;
  }

  get isTooLong(): boolean {
    return this.size > this.bounds.bytes;
  }

  /** Which limit of members is exceeded, in words; undefined if none is, or if the text is too long anyway. */
  get tooManyMembers(): string | undefined {
    return this.members?.exceeded;
  }

  /** All bytes; empty if there are too many. */
  whole(): Buffer {
    return this.parts.length === 1 ? (this.parts[0] as Buffer) : Buffer.concat(this.parts);
  }

  /** All bytes as text; empty if there are too many. */
  text(): string {
    return this.whole().toString('utf8');
  }
}
