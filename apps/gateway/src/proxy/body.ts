import type { IncomingMessage } from 'node:http';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { Fault, type JsonValue } from '@callsmith/turn';

/** Reads a request's body whole, decompressed. Its size is bounded before and after that. */
export function readBody(payload: IncomingMessage, limit: number): Promise<Buffer> {
  if (Number(payload.headers['content-length']) > limit) {
    payload.resume();
    return Promise.reject(tooLarge(limit));
  }
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let whole = false;
    payload.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) {
        chunks.length = 0;
        reject(tooLarge(limit));
      } else chunks.push(chunk);
    });
    payload.on('error', reject);
    payload.on('close', () => {
      if (!whole) reject(new Fault('invalid_body', 'The body ended before it was whole.'));
    });
    payload.on('end', () => {
      whole = true;
      const bytes = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
      decompress(bytes, payload.headers['content-encoding'], limit).then(resolve, reject);
    });
  });
}

/** A body as JSON. Throws `invalid_json`, saying where it stops being JSON. */
export function parseBody(bytes: Buffer | undefined): JsonValue {
  if (bytes === undefined || bytes.length === 0)
    throw new Fault('invalid_json', 'The body is empty. Send a JSON object.');
  try {
    return JSON.parse(bytes.toString('utf8')) as JsonValue;
  } catch (error) {
    throw new Fault('invalid_json', `The body is not JSON: ${(error as Error).message.slice(0, 200)}`);
  }
}

const tooLarge = (limit: number): Fault =>
  new Fault('body_too_large', `The body is larger than ${(limit / 1024 / 1024).toFixed(0)} MiB, decompressed.`);

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

function decompress(bytes: Buffer, encoding: string | undefined, limit: number): Promise<Buffer> {
  if (encoding === undefined || encoding === 'identity' || encoding === '') return Promise.resolve(bytes);
  const run = decompressors.get(encoding);
  if (run === undefined)
    return Promise.reject(
      new Fault(
        'unsupported_media_type',
        `content-encoding ${JSON.stringify(encoding.slice(0, 50))} is not known; send gzip, deflate, br or none.`,
      ),
    );
  return new Promise((resolve, reject) => {
    run(bytes, { maxOutputLength: limit }, (error, plain) => {
      if (error === null) resolve(plain);
      else if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') reject(tooLarge(limit));
      else reject(new Fault('invalid_body', `The body says that it is ${encoding} and is not.`));
    });
  });
}
