import { headerName } from './header-name.ts';
import { mostInterimReplies, notHttp, type ReplyHeaders } from './transport.ts';

/** Receives the parts of a response. */
export interface ResponseParserHandler {
  head(status: number, headers: ReplyHeaders): void;
  /** A piece of the body. It is a view of the parsed buffer, valid only during the call. */
  body(bytes: Uint8Array): void;
}

/** Which part of a response the next byte belongs to. */
type State =
  | 'head'
  /** `remaining` bytes of a body (`sized`) or of a chunk. */
  | 'sized'
  | 'chunk'
  /** A chunk's first line: its size in digits, its extension, its line feed. */
  | 'size'
  | 'extension'
  | 'size feed'
  /** The line end after a chunk. */
  | 'chunk return'
  | 'chunk feed'
  | 'trailer'
  | 'until close'
  | 'over';

/** The longest head, trailer and extension of a chunk that are accepted, in bytes. */
const longestHead = 64 * 1024;
const longestExtension = 4096;

/**
 * Parses the responses of one HTTP/1.1 connection, one after the other (RFC 9112). As strict as llhttp by default:
 * lines end with CRLF, a length together with chunks is an error, a length consists of digits. Every byte is read once.
 */
export class ResponseParser {
  /** The server accepts another request on this connection. */
  keepAlive = false;
  /** Milliseconds for which the server keeps an idle connection, by its `keep-alive` header; undefined without one. */
  keepAliveMs: number | undefined;
  private state: State = 'over';
  /** The beginning of a head or trailer whose end has not arrived, as latin1. */
  private pending = '';
  private interim = 0;
  private remaining = 0;
  /** How many digits of a chunk's size were read. */
  private digits = 0;
  private extension = 0;

  constructor(private readonly parsed: ResponseParserHandler) {}

  /** Expects a response: a request was sent. */
  begin(): void {
    this.state = 'head';
    this.pending = '';
    this.interim = 0;
  }

  get isOver(): boolean {
    return this.state === 'over';
  }

  /** The connection was closed. True if that completes the response. */
  close(): boolean {
    if (this.state !== 'until close') return false;
    this.state = 'over';
    return true;
  }

  /**
   * Parses the first `length` bytes, up to the response's end. Returns how many belonged to the response. Throws an
   * error whose code begins with `HPE_` if it is not HTTP.
   */
  execute(bytes: Buffer, length: number): number {
    let from = 0;
    while (from < length && this.state !== 'over') from = this.step(bytes, from, length);
    return from;
  }

  private step(bytes: Buffer, from: number, length: number): number {
    switch (this.state) {
      case 'sized':
      case 'chunk':
        return this.readSized(bytes, from, length);
      case 'size':
        return this.readSize(bytes, from, length);
      case 'extension':
        return this.readExtension(bytes, from, length);
      case 'size feed':
        return this.expect(bytes, from, lineFeed, this.remaining === 0 ? 'trailer' : 'chunk');
      case 'chunk return':
        return this.expect(bytes, from, carriageReturn, 'chunk feed');
      case 'chunk feed':
        return this.expect(bytes, from, lineFeed, 'size');
      case 'head':
        return this.readHead(bytes, from, length);
      case 'trailer':
        return this.readTrailer(bytes, from, length);
      default:
        this.parsed.body(bytes.subarray(from, length));
        return length;
    }
  }

  private readSized(bytes: Buffer, from: number, length: number): number {
    const end = Math.min(length, from + this.remaining);
    this.remaining -= end - from;
    if (this.remaining === 0) this.state = this.state === 'sized' ? 'over' : 'chunk return';
    this.parsed.body(bytes.subarray(from, end));
    return end;
  }

  private readSize(bytes: Buffer, from: number, length: number): number {
    for (let at = from; at < length; at++) {
      const code = bytes[at] as number;
      const digit = digitOf(code);
      if (digit === -1) {
        if (this.digits === 0) throw notHttp('no size before a chunk');
        this.digits = 0;
        this.extension = 0;
        if (code === carriageReturn) {
          this.state = 'size feed';
          return at + 1;
        }
        if (code !== semicolon && code !== space && code !== tab) throw notHttp('an unreadable chunk size');
        this.state = 'extension';
        return at + 1;
      }
      if (this.digits === 0) this.remaining = 0;
      this.remaining = this.remaining * 16 + digit;
      if (++this.digits > 12) throw notHttp('a chunk of more than 12 digits');
    }
    return length;
  }

  private readExtension(bytes: Buffer, from: number, length: number): number {
    const found = bytes.subarray(from, length).indexOf(carriageReturn);
    const end = found === -1 ? length : from + found;
    this.extension += end - from;
    if (this.extension > longestExtension) throw notHttp(`an extension of more than ${longestExtension} bytes`);
    if (found === -1) return end;
    this.state = 'size feed';
    return end + 1;
  }

  private expect(bytes: Buffer, from: number, code: number, next: State): number {
    if (bytes[from] !== code) throw notHttp('no line end at a chunk');
    this.state = next;
    return from + 1;
  }

  private readHead(bytes: Buffer, from: number, length: number): number {
    const text = bytes.toString('latin1', from, length);
    // The empty line may be split between two reads.
    const before = this.pending.length;
    const all = before === 0 ? text : this.pending + text;
    const end = all.indexOf('\r\n\r\n', Math.max(0, before - 3));
    if (end === -1) {
      if (all.length > longestHead) throw notHttp(`a head of more than ${longestHead} bytes`);
      if (!'HTTP/1.'.startsWith(all.slice(0, 7))) throw notHttp('no status line');
      this.pending = all;
      return length;
    }
    this.pending = '';
    this.parseHead(all.slice(0, end));
    return from + end + 4 - before;
  }

  private parseHead(head: string): void {
    const lines = head.split('\r\n');
    const start = /^HTTP\/1\.([01]) (\d{3})(?: [^\r\n]*)?$/.exec(lines[0] as string);
    if (start === null) throw notHttp('no status line');
    const status = Number(start[2]);
    const headers = headersOf(lines);
    if (status < 200) {
      // An interim reply; the final one follows.
      if (status < 100 || status === 101) throw notHttp(`status ${status}`);
      if (++this.interim > mostInterimReplies) throw notHttp('interim replies without an end');
      return;
    }
    const connection = listed(headers.connection);
    this.keepAlive = start[1] === '1' ? !connection.includes('close') : connection.includes('keep-alive');
    this.keepAliveMs = keepAliveOf(headers['keep-alive']);
    this.frame(status, headers);
    this.parsed.head(status, headers);
  }

  /** Determines how the body ends (RFC 9112, 6.3). */
  private frame(status: number, headers: ReplyHeaders): void {
    const { 'transfer-encoding': encoding, 'content-length': length } = headers;
    if (encoding !== undefined && length !== undefined) throw notHttp('both a content-length and a transfer-encoding');
    if (status === 204 || status === 304) this.state = 'over';
    else if (encoding !== undefined) {
      if (listed(encoding).at(-1) === 'chunked') this.state = 'size';
      else this.untilClose();
    } else if (length !== undefined) {
      if (typeof length !== 'string' || !/^\d{1,15}$/.test(length)) throw notHttp('an unreadable content-length');
      this.remaining = Number(length);
      this.state = this.remaining === 0 ? 'over' : 'sized';
    } else this.untilClose();
  }

  private untilClose(): void {
    this.keepAlive = false;
    this.state = 'until close';
  }

  /** Skips the trailer, which follows the last chunk up to an empty line. */
  private readTrailer(bytes: Buffer, from: number, length: number): number {
    const before = this.pending.length;
    const all = this.pending + bytes.toString('latin1', from, length);
    const end = all.startsWith('\r\n') ? 2 : all.indexOf('\r\n\r\n', Math.max(0, before - 3)) + 4;
    if (end < 4 && end !== 2) {
      if (all.length > longestHead) throw notHttp(`a trailer of more than ${longestHead} bytes`);
      this.pending = all;
      return length;
    }
    this.pending = '';
    this.state = 'over';
    return from + end - before;
  }
}

/** The value of a hexadecimal digit; -1 if the character is none. */
function digitOf(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

const tab = 0x09;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const space = 0x20;
const semicolon = 0x3b;

/** Parses the header lines of a head, without its first line. */
function headersOf(lines: readonly string[]): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = Object.create(null) as Record<string, string | string[]>;
  for (let at = 1; at < lines.length; at++) {
    const line = lines[at] as string;
    const colon = line.indexOf(':');
    const name = line.slice(0, colon);
    if (colon === -1 || !headerName.test(name) || unprintable.test(line)) throw notHttp('an unreadable header');
    const key = name.toLowerCase();
    const value = line.slice(colon + 1).trim();
    const previous = headers[key];
    headers[key] = previous === undefined ? value : [previous, value].flat();
  }
  return headers;
}

const unprintable = /[\x00-\x08\x0a-\x1f\x7f]/;

/** The members of a list header, in lower case. */
const listed = (value: string | string[] | undefined): string[] =>
  value === undefined
    ? []
    : String(value)
        .toLowerCase()
        .split(',')
        .map((member) => member.trim());

function keepAliveOf(value: string | string[] | undefined): number | undefined {
  const seconds = value === undefined ? null : /(?:^|[,;\s])timeout\s*=\s*(\d{1,6})/i.exec(String(value));
  return seconds === null ? undefined : Number(seconds[1]) * 1000;
}
