/** How many members of objects and elements of arrays a JSON text may have. */
export interface MemberBounds {
  readonly members: number;
  /** How many of them may be numbers, if these have their own limit: the tokens of a prompt. */
  readonly numbers?: number;
  /** Approximate limit of distinct member names: each must be allocated, while a repeated one is looked up. */
  readonly names?: number;
}

/** A sentinel for the end of a text among buffered bytes. */
const textEnd = Buffer.alloc(0);

/** The state after a comma or an opening bracket: whether a member follows. */
const nothing = 0;
const inArray = 1;
const inObject = 2;

/**
 * Counts the members of a JSON text while its bytes arrive, without parsing it: a body of a few megabytes can contain a
 * million of them, which take seconds to parse and block the event loop. Strings are skipped at the speed of a search,
 * so that an image costs next to nothing. In text that is not JSON the count is arbitrary.
 */
export class MemberCount {
  private members = 0;
  private numbers = 0;
  private names = 0;
  /** Hashes of seen names, several per slot. */
  private known: Uint32Array | undefined;
  /** Where the newest string is in the current bytes, without its quotes. */
  private stringFrom = 0;
  private stringTo = 0;
  private inString = false;
  /** The last byte was a backslash that escapes the next one. */
  private escaping = false;
  private expecting = nothing;
  /** A text up to this length cannot have too many. */
  private readonly shortest: number;
  /** The bytes of a text that is no longer than that: not scanned yet. */
  private waiting: Buffer[] = [];
  private size = 0;

  constructor(private readonly bounds: MemberBounds) {
    this.shortest = shortestOf(bounds);
  }

  /** Which limit is exceeded, in words; undefined if none is. */
  get exceeded(): string | undefined {
    const { members, numbers = members } = this.bounds;
    if (this.members > members) return `${members.toLocaleString('en')} object members and array elements`;
    if (this.numbers > numbers) return `${numbers.toLocaleString('en')} numbers`;
    const { names = this.names } = this.bounds;
    return this.names > names ? `${names.toLocaleString('en')} different names of object members` : undefined;
  }

  /** Adds a chunk, which must not be changed afterwards; stops counting once a limit is exceeded. */
  push(bytes: Buffer): void {
    this.size += bytes.length;
    this.waiting.push(bytes);
    if (this.size <= this.shortest) return;
    if (this.bounds.names !== undefined) this.known ??= new Uint32Array(knownNames);
    for (const part of this.waiting) this.read(part);
    this.waiting = [];
  }

  /** Starts another text, counted with those before; an unterminated string ends. Only for complete texts. */
  nextText(): void {
    if (this.waiting.length > 0) this.waiting.push(textEnd);
    else this.endText();
  }

  private endText(): void {
    this.inString = false;
    this.escaping = false;
    this.expecting = nothing;
  }

  private read(bytes: Buffer): void {
    if (bytes === textEnd) this.endText();
    const { length } = bytes;
    const apart = this.bounds.numbers !== undefined;
    let at = this.inString ? this.stringEnd(bytes, 0) : 0;
    while (at < length) {
      const byte = bytes[at++] as number;
      if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) continue;
      if (this.expecting !== nothing) {
        const isNumber = byte === 0x2d || (byte >= 0x30 && byte <= 0x39);
        if (apart && isNumber && this.expecting === inArray) this.numbers++;
        else if (byte !== 0x5d && byte !== 0x7d) this.members++;
        this.expecting = nothing;
        if (this.members > this.bounds.members) return;
      }
      if (byte === quote) {
        this.inString = true;
        this.stringFrom = at;
        at = this.stringEnd(bytes, at);
        this.stringTo = at - 1;
      } else if (byte === 0x3a && this.known) this.name(this.known, bytes);
      else if (byte === 0x2c || byte === 0x5b) this.expecting = inArray;
      else if (byte === 0x7b) this.expecting = inObject;
    }
  }

  /** The newest string was a name. One that was split between chunks counts as a new one. */
  private name(known: Uint32Array, bytes: Buffer): void {
    let hash = 1;
    for (let at = this.stringFrom; at < this.stringTo; at++) hash = (Math.imul(hash, 31) + (bytes[at] as number)) >>> 0;
    const slot = (Math.imul(hash, 0x9e3779b1) >>> 19) & ~(places - 1);
    for (let place = 0; place < places; place++) if (known[slot + place] === hash) return;
    known[slot + (this.names++ % places)] = hash;
  }

  /** The index after the string that contains the index; the length if it continues. */
  private stringEnd(bytes: Buffer, from: number): number {
    let at = from;
    if (this.escaping) {
      if (at === bytes.length) return at;
      this.escaping = false;
      at++;
    }
    for (;;) {
      const end = bytes.indexOf(quote, at);
      const last = end === -1 ? bytes.length : end;
      let slashes = 0;
      while (last - slashes > at && bytes[last - slashes - 1] === backslash) slashes++;
      const escaped = slashes % 2 === 1;
      if (end === -1) {
        this.escaping = escaped;
        return last;
      }
      if (!escaped) {
        this.inString = false;
        return end + 1;
      }
      at = end + 1;
    }
  }
}

/** The length up to which a text cannot have too many: each member takes at least two bytes, four with a name. */
const shortestOf = ({ members, numbers = members, names = members }: MemberBounds): number =>
  Math.min(2 * members, 2 * numbers, 4 * names);

/** Which of the bounds a JSON text exceeds, in words; undefined if none. */
export function exceededBound(text: string, bounds: MemberBounds): string | undefined {
  if (text.length <= shortestOf(bounds)) return undefined;
  const count = new MemberCount(bounds);
  count.push(Buffer.from(text));
  return count.exceeded;
}

/** Many times more names than in the responses of all engines. */
const knownNames = 8192;
/** How many names one slot holds before they replace each other. */
const places = 8;

const quote = 0x22;
const backslash = 0x5c;
