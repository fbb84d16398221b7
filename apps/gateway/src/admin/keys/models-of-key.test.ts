import type { ModelEntry } from '@callsmith/data/snapshot';
import { expect, it } from 'vitest';
import { modelsOfKey } from './models-of-key.ts';

const model = (name: string, demo = false) => ({ name, demo }) as ModelEntry;
const models = [model('demo-flaky', true), model('demo-text', true), model('qwen'), model('yi')];

it('names own models before demo models, so that a client is not set up with a demo model', () => {
  const names = (key: Parameters<typeof modelsOfKey>[0]) => modelsOfKey(key, models).map(({ name }) => name);
  expect(names({ kind: 'issued', allowedModels: null })).toEqual(['qwen', 'yi', 'demo-flaky', 'demo-text']);
  expect(names({ kind: 'issued', allowedModels: ['demo-text', 'yi'] })).toEqual(['yi', 'demo-text']);
  expect(names({ kind: 'demo', allowedModels: null })).toEqual(['demo-flaky', 'demo-text']);
});
