import { type MemberBounds, MemberCount } from './member-count.ts';

/** Collects bytes that come in pieces into a whole, up to a bound. Beyond it nothing is kept. */
export class CollectedBytes {
  /** Bytes that came, those beyond the bound among them. */
  size = 0;
  private parts: Buffer[] = [];
  private members: MemberCount | undefined;

  /** `bytes`: how many are kept. `members`: of the JSON text that they are; without it nobody counts. */
  constructor(private readonly bounds: { readonly bytes: number; readonly members?: MemberBounds }) {
    this.members = bounds.members && new MemberCount(bounds.members);
  }

  /** Takes the next bytes, which must stay as they are. */
  push(bytes: Buffer): void {
    this.size += bytes.length;
    if (this.isTooLong) {
      this.drop();
      return;
    }
    this.parts.push(bytes);
    this.members?.push(bytes);
  }

  /** Lets go of what came so far. */
  drop(): void {
    this.parts = [];
    this.members = undefined;
  }

  get isTooLong(): boolean {
    return this.size > this.bounds.bytes;
  }

  /** Which bound of members is exceeded, in words; undefined where none is, or where the text is too long anyway. */
  get tooManyMembers(): string | undefined {
    return this.members?.exceeded;
  }

  /** All bytes; none where they are too long. */
  whole(): Buffer {
    return this.parts.length === 1 ? (this.parts[0] as Buffer) : Buffer.concat(this.parts);
  }

  /** All bytes as text; empty where they are too long. */
  text(): string {
    return this.whole().toString('utf8');
  }
}
