import type { IncomingMessage } from 'node:http';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { CollectedBytes, type MemberBounds, MemberCount, yieldToOthers } from '@callsmith/stream';
import { Fault, type JsonValue, parseExact } from '@callsmith/turn';
import type { BodyDeadline } from '../../body-timeouts.ts';
import { decodeUtf8 } from '../../decode-utf8.ts';

/** Called with a body, or with its error; once. */
type Done = (error: Fault | null, body?: Buffer) => void;

/** For bodies that are read as turns (D-39). */
export const turnBounds: MemberBounds = { members: 100_000 };

/** For bodies that are passed through: a prompt may be lists of tokens (D-39). */
export const rawBounds: MemberBounds = { members: 100_000, numbers: 8_000_000 };

/** Limits of a body. */
export interface BodyBounds {
  /** Bytes, before and after it is decompressed. */
  readonly bytes: number;
  readonly members: MemberBounds;
}

/** Reads a request's whole body, decompressed. It is refused before it is complete once it exceeds a limit. */
export function readBody(payload: IncomingMessage, bounds: BodyBounds, done: Done, watch?: BodyDeadline): void {
  const limit = bounds.bytes;
  if (Number(payload.headers['content-length']) > limit) {
    payload.resume();
    done(tooLarge(limit));
    return;
  }
  const encoding = payload.headers['content-encoding']?.toLowerCase();
  const decompresses = !isPlain(encoding);
  const body = new CollectedBytes(decompresses ? { bytes: limit } : bounds);
  let over = false;
  const fail = (fault: Fault): void => {
    over = true;
    body.drop();
    done(fault);
  };
  // Every request closes: a fault with its stack for each would cost as much as all other work.
  const cutOff = (): void => {
    if (!over) fail(new Fault('invalid_body', 'The request body ended before it was complete.'));
  };
  if (watch)
    watch.onTimeout = () => {
      if (!over) fail(new Fault('body_timeout'));
    };
  payload.on('data', (chunk: Buffer) => {
    if (over) return;
    body.push(chunk);
    if (body.isTooLong) fail(tooLarge(limit));
    else if (body.tooManyMembers !== undefined) fail(tooMany(body.tooManyMembers));
  });
  payload.on('error', cutOff);
  payload.on('close', cutOff);
  payload.on('end', () => {
    if (over) return;
    over = true;
    if (decompresses) decompress(body.whole(), encoding as string, bounds, done);
    else done(null, body.whole());
  });
}

/** A body as JSON. Throws `invalid_json`, with the position of the error. */
export function parseBody(bytes: Buffer | undefined): JsonValue {
  if (bytes === undefined || bytes.length === 0)
    throw new Fault('invalid_json', 'The request body is empty. Send a JSON object.');
  if (isUtf16(bytes)) throw new Fault('invalid_json', 'The request body is in UTF-16. Send JSON in UTF-8.');
  try {
    // Some clients send a byte order mark.
    return parseExact(decodeUtf8(bytes).replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new Fault('invalid_json', `The request body is not valid JSON: ${(error as Error).message.slice(0, 200)}`);
  }
}

/** In bytes. */
const longBody = 1024 * 1024;

/** True for a body that is to be parsed by `parseLongBody`. */
export const isLongBody = (bytes: Buffer | undefined): bytes is Buffer =>
  bytes !== undefined && bytes.length > longBody;

/** `parse` apart from what comes before and after it: each takes a while, and other requests run in between. */
export async function parseLongBody(bytes: Buffer, parse = parseBody): Promise<JsonValue> {
  await yieldToOthers();
  const value = parse(bytes);
  await yieldToOthers();
  return value;
}

/** True for a byte order mark of UTF-16, and for a first character of JSON in two bytes. */
const isUtf16 = ([first, second]: Buffer): boolean =>
  (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff) || first === 0 || second === 0;

const tooMany = (what: string): Fault => new Fault('invalid_body', `The request body has more than ${what}.`);

const tooLarge = (limit: number): Fault =>
  new Fault('body_too_large', `The request body is larger than ${(limit / 1024 / 1024).toFixed(0)} MiB, decompressed.`);

type Decompress = (
  bytes: Buffer,
  options: { maxOutputLength: number },
  done: (error: Error | null, plain: Buffer) => void,
) => void;

const decompressors = new Map<string, Decompress>([
  ['gzip', gunzip],
  ['x-gzip', gunzip],
  ['deflate', inflate],
  ['br', brotliDecompress],
]);

const isPlain = (encoding: string | undefined): boolean =>
  encoding === undefined || encoding === 'identity' || encoding === '';

function decompress(bytes: Buffer, encoding: string, { bytes: limit, members }: BodyBounds, done: Done): void {
  const run = decompressors.get(encoding);
  if (run === undefined) {
    done(
      new Fault(
        'unsupported_media_type',
        `content-encoding ${JSON.stringify(encoding.slice(0, 50))} is not supported; send gzip, deflate, br or none.`,
      ),
    );
    return;
  }
  run(bytes, { maxOutputLength: limit }, (error, plain) => {
    if (error === null) countInSlices(plain, new MemberCount(members), done);
    else if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') done(tooLarge(limit));
    else done(new Fault('invalid_body', `The request body is not ${encoding}, as content-encoding says.`));
  });
}

/** Refuses a body with too many members, numbers included; yields to other events meanwhile. */
export function checkMembers(bytes: Buffer, members: MemberBounds): Promise<void> {
  return new Promise((resolve, reject) => {
    countInSlices(bytes, new MemberCount(members), (error) => (error ? reject(error) : resolve()));
  });
}

/** Bytes that are counted at a time. */
const sliceBytes = 1024 * 1024;

/** Counts the members of a complete body, yielding to other events. */
function countInSlices(bytes: Buffer, counted: MemberCount, done: Done): void {
  const next = (at: number): void => {
    if (at >= bytes.length) {
      done(null, bytes);
      return;
    }
    counted.push(bytes.subarray(at, at + sliceBytes));
    if (counted.exceeded !== undefined) done(tooMany(counted.exceeded));
    else setImmediate(next, at + sliceBytes);
  };
  next(0);
}
