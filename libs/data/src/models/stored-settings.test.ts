import { defaultSettings } from '@callsmith/contracts';
import { expect, it } from 'vitest';
import { declaredSettings, type StoredModel, settingsInEffect } from './stored-settings.ts';

const untouched: StoredModel = {
  contextLength: null,
  contextSource: 'default',
  toolCallLimit: null,
  reasoningPrefilled: null,
  strictHistory: false,
  promptAddition: null,
  settings: {},
};

it('an unknown model has the defaults', () => {
  expect(settingsInEffect(untouched, [])).toEqual(defaultSettings);
});

it('an admin’s declaration takes precedence over what the server reports and what was learned', () => {
  const learned = [{ what: 'reasoning-prefilled', value: 'true' }];
  expect(settingsInEffect(untouched, learned).reasoningPrefilled).toEqual({ value: true, source: 'learned' });
  const declared = { ...untouched, reasoningPrefilled: false };
  expect(settingsInEffect(declared, learned).reasoningPrefilled).toEqual({ value: false, source: 'declared' });
});

it('the columns that earlier versions read are written; unnamed settings stay, and unknown stored ones are kept', () => {
  const row = { ...untouched, promptAddition: 'Be brief.', settings: { later: { value: 1, source: 'declared' } } };
  expect(declaredSettings(row, { contextLength: 8192, strictHistory: true, toolCallLimit: null })).toEqual({
    contextLength: 8192,
    contextSource: 'declared',
    strictHistory: true,
    toolCallLimit: null,
  });
  expect(declaredSettings(row, { contextLength: null, strictHistory: null })).toEqual({
    contextLength: null,
    contextSource: 'default',
    strictHistory: false,
  });
});
