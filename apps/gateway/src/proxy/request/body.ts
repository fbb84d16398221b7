import type { IncomingMessage } from 'node:http';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { Fault, type JsonValue, parseExact } from '@callsmith/turn';

/** Told a body, or what is wrong with it; once. */
type Done = (error: Fault | null, body?: Buffer) => void;

/** Reads a request's body whole, decompressed. Its size is bounded before and after that. */
export function readBody(payload: IncomingMessage, limit: number, done: Done): void {
  if (Number(payload.headers['content-length']) > limit) {
    payload.resume();
    done(tooLarge(limit));
    return;
  }
  const chunks: Buffer[] = [];
  let size = 0;
  let over = false;
  const fail = (fault: Fault): void => {
    over = true;
    chunks.length = 0;
    done(fault);
  };
  const cutOff = (): void => {
    if (!over) fail(new Fault('invalid_body', 'The request body ended before it was complete.'));
  };
  payload.on('data', (chunk: Buffer) => {
    if (over) return;
    size += chunk.length;
    if (size > limit) fail(tooLarge(limit));
    else chunks.push(chunk);
  });
  payload.on('error', cutOff);
  payload.on('close', cutOff);
  payload.on('end', () => {
    if (over) return;
    over = true;
    const bytes = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
    decompress(bytes, payload.headers['content-encoding'], limit, done);
  });
}

/** A body as JSON. Throws `invalid_json`, saying where it stops being JSON. */
export function parseBody(bytes: Buffer | undefined): JsonValue {
  if (bytes === undefined || bytes.length === 0)
    throw new Fault('invalid_json', 'The request body is empty. Send a JSON object.');
  try {
    return parseExact(bytes.toString('utf8'));
  } catch (error) {
    throw new Fault('invalid_json', `The request body is not valid JSON: ${(error as Error).message.slice(0, 200)}`);
  }
}

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

function decompress(bytes: Buffer, encoding: string | undefined, limit: number, done: Done): void {
  if (encoding === undefined || encoding === 'identity' || encoding === '') {
    done(null, bytes);
    return;
  }
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
    if (error === null) done(null, plain);
    else if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') done(tooLarge(limit));
    else done(new Fault('invalid_body', `The request body is not ${encoding}, as content-encoding says.`));
  });
}
