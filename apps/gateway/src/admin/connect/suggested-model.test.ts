import { wilson } from '@callsmith/evaluate';
import { expect, it } from 'vitest';
import { suggestedModel } from './suggested-model.ts';

const model = (name: string, good: number, n: number) => ({ name, contextLength: null, valid: wilson(good, n) });

it('the model with the best lower bound is suggested, not the one with few lucky requests', () => {
  expect(suggestedModel([model('lucky', 31, 31), model('proven', 985, 1_000), model('poor', 600, 1_000)])).toBe(
    'proven',
  );
});

it('nothing is suggested where no model has enough measurements', () => {
  expect(suggestedModel([])).toBeNull();
  expect(suggestedModel([model('few', 29, 29), model('none', 0, 0)])).toBeNull();
});
