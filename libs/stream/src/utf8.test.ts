import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runSync } from './stage.ts';
import { decodeUtf8, utf8 } from './utf8.ts';

it('decodes any bytes as one decoder would, wherever they are split', () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 6 }),
    fc.string({ unit: 'binary', maxLength: 4 }).map((text) => new TextEncoder().encode(text)),
  );
  fc.assert(
    fc.property(fc.array(bytes, { maxLength: 20 }), (reads) => {
      const all = new Uint8Array(reads.flatMap((read) => [...read]));
      expect(runSync(utf8(), reads).out.join('')).toBe(new TextDecoder('utf-8', { ignoreBOM: true }).decode(all));
    }),
    { numRuns: 500 },
  );
});

it('decodes whole bytes of any length and kind as Buffer does', () => {
  const any = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }).map((text) => Buffer.from(text)),
    fc.string({ maxLength: 40 }).map((text) => Buffer.from(text)),
    fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
    fc.constantFrom('\ufeff', '漢字か', 'größe', '😀', '\0').map((text) => Buffer.from(text)),
  );
  fc.assert(
    fc.property(any, any, fc.nat({ max: 300 }), (first, repeated, times) => {
      const bytes = Buffer.concat([first, ...Array<Buffer>(times).fill(repeated)]);
      expect(decodeUtf8(bytes)).toBe(bytes.toString('utf8'));
    }),
    { numRuns: 500 },
  );
});
