import type { JsonObject, Turn } from '@callsmith/turn';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { writeBodyInSteps } from './write-body.ts';

it('writes the same text in steps as in one go, wherever its slices end', () => {
  const unit = fc.constantFrom('a', '"', '\\', '\n', '\u0001', 'ß', '漢', '😀', '\ud83d', '\ude00');
  const text = fc
    .tuple(fc.array(unit, { maxLength: 5 }), fc.array(unit, { minLength: 1, maxLength: 3 }), fc.nat({ max: 1_500_000 }))
    .map(([first, repeated, length]) => first.join('') + repeated.join('').repeat(length / repeated.length));
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 3 }), (texts) => {
      const messages = texts.map((content) => ({ role: 'user', content }));
      const body: JsonObject = { model: 'm', messages, tools: [{ name: 'f' }], n: 1 };
      const steps = writeBodyInSteps({ messages } as unknown as Turn, body);
      let count = 0;
      let step = steps.next();
      for (; !step.done; step = steps.next()) count += 1;
      expect(step.value === JSON.stringify(body)).toBe(true);
      expect(count > 0).toBe(texts.join('').length > 1024 * 1024);
    }),
    { numRuns: 10 },
  );
});
