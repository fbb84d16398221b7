import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runSync } from './stage.ts';
import { utf8 } from './utf8.ts';

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
