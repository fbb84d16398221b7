import { expect, it } from 'vitest';
import { changeText } from './change-text.ts';

it('a change of a model is described by what it changed', () => {
  const before = { strategy: 'native', dialect: null, holdBytes: 1, holdsWhole: false, aliases: [] };
  const text = (after: object, action = 'model.change') => changeText({ action, before, after } as never);
  expect(text({ ...before, strategy: 'prompt', dialect: 'hermes' })).toBe(
    'strategy native to prompt, dialect default to hermes',
  );
  expect(text({ ...before, holdBytes: null, holdsWhole: true, aliases: ['a'] })).toBe('buffer tool calls, aliases');
  expect(text({ strategy: 'strict', share: 10 }, 'model.experiment')).toBe(
    'experiment: strict for 10 % of new conversations',
  );
  expect(text(before)).toBe('saved without a change');
});
