import { randomUUID } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';

/** A body whose long lists of tokens are replaced by markers. */
export interface WithoutTokens {
  /** JSON text with markers. */
  readonly bytes: Buffer;
  readonly lists: TokenLists;
}

/** Shorter bodies and lists are parsed as they are, which takes no noticeable time. */
const longEnough = 64 * 1024;
/** Bytes that are scanned before the event loop runs. */
const sliceBytes = 1024 * 1024;

/** Lists of tokens that were taken out of a body, as the bytes that they consist of. */
export class TokenLists {
  private readonly mark = `tokens-${randomUUID()}-`;
  private readonly lists: Buffer[] = [];
  /** How many tokens they hold. */
  tokens = 0;

  /** Keeps a list; returns the marker that replaces it. */
  add(bytes: Buffer, tokens: number): Buffer {
    this.tokens += tokens;
    return Buffer.from(`"${this.mark}${this.lists.push(bytes) - 1}"`);
  }

  /** True for a marker of a list. */
  isMark(value: unknown): boolean {
    return this.lists.length > 0 && typeof value === 'string' && value.startsWith(this.mark);
  }

  /** The body as JSON text with each list in place of its marker. */
  fill(json: string): string | Buffer {
    if (this.lists.length === 0) return json;
    const parts = json.split(new RegExp(`"${this.mark}(\\d+)"`));
    return Buffer.concat(
      parts.map((part, at) => (at % 2 === 0 ? Buffer.from(part) : (this.lists[Number(part)] as Buffer))),
    );
  }
}

/**
 * Takes long lists of whole numbers, nested or not, out of a body if they are well-formed JSON. Parsing and writing
 * eight million tokens would block the event loop for a second, and the gateway does not need them. Yields to the event
 * loop meanwhile.
 */
export async function withoutTokens(bytes: Buffer): Promise<WithoutTokens> {
  const lists = new TokenLists();
  if (bytes.length < longEnough) return { bytes, lists };
  const search = new ListSearch(bytes);
  const parts: Buffer[] = [];
  let copied = 0;
  for (let to = sliceBytes; ; to += sliceBytes) {
    for (const { from, end, tokens } of search.until(Math.min(to, bytes.length))) {
      parts.push(bytes.subarray(copied, from), lists.add(bytes.subarray(from, end), tokens));
      copied = end;
    }
    if (to >= bytes.length) break;
    await turn();
  }
  return { bytes: copied === 0 ? bytes : Buffer.concat([...parts, bytes.subarray(copied)]), lists };
}

/** The position of a list, and how many numbers it has. */
interface FoundList {
  readonly from: number;
  readonly end: number;
  readonly tokens: number;
}

/** What the previous byte was, inside a list. */
const [open, number, zero, value, comma] = [1, 2, 3, 4, 5];

/** Finds lists of whole numbers in JSON text, a piece at a time. */
class ListSearch {
  private at = 0;
  private inString = false;
  /** The start of the list that is being read; -1: none. */
  private from = -1;
  private depth = 0;
  private tokens = 0;
  private before = open;

  constructor(private readonly bytes: Buffer) {}

  /** Scans up to a position. Returns the long lists that ended before it. */
  until(end: number): FoundList[] {
    const { bytes } = this;
    const found: FoundList[] = [];
    while (this.at < end) {
      const byte = bytes[this.at] as number;
      if (this.inString) this.string();
      else if (byte === quote) {
        this.from = -1;
        this.inString = true;
        this.at++;
      } else if (this.from === -1) {
        if (byte === opening) this.begin();
        this.at++;
      } else if (this.takes(byte)) {
        this.at++;
        if (this.depth > 0) continue;
        if (this.at - this.from >= longEnough) found.push({ from: this.from, end: this.at, tokens: this.tokens });
        this.from = -1;
      } else this.from = -1; // No such list: the byte is looked at again, as any other.
    }
    return found;
  }

  private begin(): void {
    this.from = this.at;
    this.depth = 1;
    this.tokens = 0;
    this.before = open;
  }

  /** Reads the next byte of a list. Returns false if it cannot occur there. */
  private takes(byte: number): boolean {
    const { before } = this;
    if (byte >= 0x30 && byte <= 0x39) {
      if (before === number) return true;
      if (before === value || before === zero) return false;
      this.before = byte === 0x30 ? zero : number;
      this.tokens++;
      return true;
    }
    switch (byte) {
      case 0x2c:
        if (before === open || before === comma) return false;
        this.before = comma;
        return true;
      case opening:
        if (before !== open && before !== comma) return false;
        this.depth++;
        this.before = open;
        return true;
      case closing:
        if (before === comma) return false;
        this.depth--;
        this.before = value;
        return true;
      case 0x20:
      case 0x09:
      case 0x0a:
      case 0x0d:
        if (before === number || before === zero) this.before = value;
        return true;
      default:
        return false;
    }
  }

  /** Skips a string, whose closing quote may be beyond the current piece. */
  private string(): void {
    const { bytes } = this;
    const next = bytes.indexOf(quote, this.at);
    if (next === -1) {
      this.at = bytes.length;
      return;
    }
    let slashes = 0;
    while (bytes[next - 1 - slashes] === backslash) slashes++;
    this.inString = slashes % 2 === 1;
    this.at = next + 1;
  }
}

const quote = 0x22;
const backslash = 0x5c;
const opening = 0x5b;
const closing = 0x5d;
