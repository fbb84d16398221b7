import { expect, test } from 'vitest';
import { whyWorse } from './why-worse.ts';

const rate = (value: number, n: number) => ({
  value,
  low: Math.max(0, value - 0.05),
  high: value + 0.05,
  n,
  few: n < 30,
});
const side = (failed: number, malformed: number, n = 200) => ({
  failed: rate(failed, n),
  malformed: rate(malformed, n),
});
const evidence = (native: ReturnType<typeof side>, prompt: ReturnType<typeof side>) => ({ native, prompt });

test('a switch to the side that fails more is warned of, with both figures', () => {
  const measured = evidence(side(0.02, 0.1), side(0.24, 0.3));
  expect(whyWorse(measured, 'native', 'prompt')).toBe(
    '24\u00a0% of 200 calls failed with prompt, 2\u00a0% of 200 calls with native. The difference is larger than chance explains.',
  );
  expect(whyWorse(measured, 'prompt', 'native')).toBeNull();
  expect(whyWorse(measured, 'native', 'native')).toBeNull();
  expect(whyWorse(measured, 'native', 'auto')).toBeNull();
});

test('where as many fail, the malformed ones count; where intervals overlap, the sentence says so', () => {
  expect(whyWorse(evidence(side(0, 0.1), side(0, 0.14)), 'native', 'prompt')).toMatch(
    /malformed with prompt.*may be chance/,
  );
  expect(whyWorse(evidence(side(0, 0.1), side(0, 0.1)), 'native', 'prompt')).toBeNull();
});

test('too few calls on either side warn of nothing', () => {
  expect(whyWorse(evidence(side(0, 0), side(0.5, 0.5, 12)), 'native', 'prompt')).toBeNull();
  expect(whyWorse(evidence(side(0, 0, 12), side(0.5, 0.5)), 'native', 'prompt')).toBeNull();
});
