import { randomUUID } from 'node:crypto';
import { holdsExactNumbers, isObject, type JsonValue, parseExact } from '@callsmith/turn';
import { LRUCache } from 'lru-cache';
import { decodeUtf8 } from '../../decode-utf8.ts';
import { parseBody } from './body.ts';

/** A list of tools that a key's requests repeat. */
interface KnownTools {
  readonly bytes: Buffer;
  /** Frozen, as all those requests share it. Undefined: it cannot be shared. */
  readonly value: JsonValue | undefined;
}

/** Stands for the tools while the rest of a body is parsed. */
const placeholder = `tools ${randomUUID()}`;

/**
 * Parses bodies whose `tools` are those of an earlier request with the same key: they are parsed once, and all requests
 * that repeat them share one frozen value. Coding clients send the same tens of kilobytes with every request.
 *
 *     {"model":"m","messages":[…],"tools":[{"type":"function",…}],"stream":true}
 *                                         ^ known bytes: a placeholder is parsed in their place
 *
 * The beginning of a list is remembered at its first sight, and the list itself at its second.
 */
export class RepeatedTools {
  /** By key and beginning. */
  private readonly known = new LRUCache<string, readonly KnownTools[]>({
    maxSize: 4 * 1024 * 1024,
    sizeCalculation: (lists) => lists.reduce((size, { bytes }) => size + bytes.length, 2 * beginningLength),
  });

  /** The body of a request with this key as JSON. Throws what `parseBody` throws. */
  parse(bytes: Buffer | undefined, key: { readonly id: string }): JsonValue {
    if (bytes === undefined || bytes.length < fewestBytes || bytes.length > longestBody) return parseBody(bytes);
    for (const at of placesOfLists(bytes)) {
      const list = this.known.get(nameOf(bytes, at, key))?.find((one) => isAt(bytes, at, one.bytes));
      const body = list?.value === undefined ? undefined : parseAround(bytes, at, list);
      if (body !== undefined) return body;
    }
    const whole = parseBody(bytes);
    for (const at of placesOfLists(bytes)) this.remember(bytes, at, nameOf(bytes, at, key));
    return whole;
  }

  private remember(bytes: Buffer, at: number, name: string): void {
    const lists = this.known.get(name);
    if (lists === undefined) this.known.set(name, []);
    else if (!lists.some((one) => isAt(bytes, at, one.bytes))) {
      const list = readList(bytes, at);
      if (list) this.known.set(name, [list, ...lists].slice(0, listsOfBeginning));
    }
  }
}

const nameOf = (bytes: Buffer, at: number, key: { readonly id: string }): string =>
  `${key.id} ${bytes.toString('latin1', at, at + beginningLength)}`;

/** Of a body, and of a list. */
const fewestBytes = 2048;

/** In bytes. In a longer one the tools are a small part. */
const longestBody = 4 * 1024 * 1024;

/** Bytes of a list by which it is found. */
const beginningLength = 256;

/** Most lists that begin alike, such as those of an agent and its subagents. */
const listsOfBeginning = 4;

const mostBytes = 512 * 1024;
const mostDepth = 100;

/** The places of the last lists that a member `tools` has, at whatever depth; clients send the tools at the end. */
function* placesOfLists(bytes: Buffer): Generator<number> {
  let name = bytes.length;
  for (let names = 0, lists = 0; names < mostNames && lists < mostLists && name > 0; names++) {
    name = bytes.lastIndexOf(member, name - 1);
    if (name < 0) return;
    const colon = behindSpace(bytes, name + member.length);
    const at = bytes[colon] === codes.colon ? behindSpace(bytes, colon + 1) : colon;
    if (bytes[at] !== codes.opens || bytes.length - at < fewestBytes) continue;
    lists++;
    yield at;
  }
}

const member = '"tools"';
/** How many such names, and lists under them, are considered. */
const mostNames = 64;
const mostLists = 3;

function behindSpace(bytes: Buffer, from: number): number {
  let at = from;
  while (at < from + mostSpace && (bytes[at] ?? codes.colon) <= codes.space) at++;
  return at;
}

const mostSpace = 256;

const isAt = (bytes: Buffer, at: number, part: Buffer): boolean =>
  bytes.length - at > part.length && bytes.compare(part, 0, part.length, at, at + part.length) === 0;

/**
 * The body with the known list at `at`; undefined if that is not what its member `tools` is: it belongs to another
 * object, or another such member follows, or the body is not JSON.
 */
function parseAround(bytes: Buffer, at: number, { bytes: list, value }: KnownTools): JsonValue | undefined {
  const before = decodeUtf8(bytes.subarray(0, at)).replace(/^\uFEFF/, '');
  const behind = decodeUtf8(bytes.subarray(at + list.length));
  try {
    const body = parseExact(`${before}"${placeholder}"${behind}`);
    if (!isObject(body) || body.tools !== placeholder) return undefined;
    body.tools = value;
    return body;
  } catch {
    return undefined;
  }
}

/** The list at `at` of a valid body; undefined if it is too long to be kept. */
function readList(bytes: Buffer, at: number): KnownTools | undefined {
  const end = endOfList(bytes, at);
  if (end === undefined || end - at < fewestBytes) return undefined;
  const list = Buffer.from(bytes.subarray(at, end));
  const value = parseExact(decodeUtf8(list));
  const body = parseAround(bytes, at, { bytes: list, value });
  return { bytes: list, value: body === undefined || holdsExactNumbers(value) || !freeze(value) ? undefined : value };
}

/** The index behind the list at `from`, whose body is valid JSON; undefined if it is too long or nested too deep. */
function endOfList(bytes: Buffer, from: number): number | undefined {
  let depth = 0;
  let inString = false;
  const to = Math.min(bytes.length, from + mostBytes);
  for (let at = from; at < to; at++) {
    const code = bytes[at];
    if (inString) {
      if (code === codes.backslash) at++;
      else if (code === codes.quote) inString = false;
    } else if (code === codes.quote) inString = true;
    else if (code === codes.opens || code === codes.opensObject) {
      if (++depth > mostDepth) return undefined;
    } else if ((code === codes.closes || code === codes.closesObject) && --depth === 0) return at + 1;
  }
  return undefined;
}

const codes = {
  space: 0x20,
  quote: 0x22,
  colon: 0x3a,
  opens: 0x5b,
  backslash: 0x5c,
  closes: 0x5d,
  opensObject: 0x7b,
  closesObject: 0x7d,
} as const;

/** Freezes a value at all depths; false if it has a member that requests are read without. */
function freeze(value: JsonValue | undefined): boolean {
  if (typeof value !== 'object' || value === null) return true;
  Object.freeze(value);
  if (Array.isArray(value)) return value.every(freeze);
  return Object.keys(value).every((name) => name !== '__proto__' && freeze(value[name]));
}
