import { expect, it } from 'vitest';
import { holm } from './holm.ts';

const rounded = (values: readonly number[]) => values.map((value) => Number(value.toFixed(6)));

// R: p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm")
it('adjusts as R does', () => {
  expect(rounded(holm([0.01, 0.04, 0.03, 0.005]))).toEqual([0.03, 0.06, 0.06, 0.02]);
});

it('leaves a single value unchanged, and never exceeds 1', () => {
  expect(holm([0.03])).toEqual([0.03]);
  expect(holm([0.6, 0.7])).toEqual([1, 1]);
  expect(holm([])).toEqual([]);
});
