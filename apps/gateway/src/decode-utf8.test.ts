import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeUtf8 } from './decode-utf8.ts';

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
