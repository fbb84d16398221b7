import type { ModelEntry } from '@callsmith/data/snapshot';
import type { StrategyName } from '@callsmith/turn';
import { expect, it } from 'vitest';
import { probeArms } from './probe-arms.ts';

const model = (strategy: StrategyName, dialect: string, nativeTools?: boolean) =>
  probeArms({
    strategy: { value: strategy, source: 'declared' },
    dialect: { value: dialect, source: 'default' },
    routes: [{ nativeTools }] as unknown as ModelEntry['routes'],
  });
const dialectsOf = ({ arms }: ReturnType<typeof model>) => arms.map(({ dialect }) => dialect);

it('compares native calls, the own dialect, and one of the other family', () => {
  expect(dialectsOf(model('auto', 'auto'))).toEqual([null, 'hermes', 'qwen3-coder-xml']);
  expect(dialectsOf(model('auto', 'glm-4.5'))).toEqual([null, 'glm-4.5', 'hermes']);
  expect(dialectsOf(model('auto', 'mistral-v11'))).toEqual([null, 'mistral-v11', 'qwen3-coder-xml']);
});

it('knows what is in effect', () => {
  expect(model('native', 'auto', false).inEffect).toBe(0);
  expect(model('prompt', 'auto').inEffect).toBe(1);
  expect(model('auto', 'auto').inEffect).toBe(0);
  expect(model('auto', 'auto', true).inEffect).toBe(0);
  expect(model('auto', 'auto', false).inEffect).toBe(1);
});
