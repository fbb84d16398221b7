import type { ModelEntry } from '@callsmith/data/snapshot';
import type { ProbeSize } from '@callsmith/evaluate';
import type { StrategyName } from '@callsmith/turn';
import { expect, it } from 'vitest';
import { probeArms } from './probe-arms.ts';

const model = (
  strategy: StrategyName,
  dialect: string,
  {
    kind = 'openai',
    size = 'quick',
    examples,
    ...route
  }: { nativeTools?: boolean; kind?: string; constraints?: object; size?: ProbeSize; examples?: boolean } = {},
) =>
  probeArms(
    {
      strategy: { value: strategy, source: 'declared' },
      dialect: { value: dialect, source: 'default' },
      capabilities: { strict: kind !== 'openai' },
      routes: [{ upstream: { kind, engineVersion: '0.12.0' }, ...route }] as unknown as ModelEntry['routes'],
      ...(examples !== undefined && { exampleCalls: { value: examples, source: 'declared' } }),
    },
    size,
  );
const dialectsOf = ({ arms }: ReturnType<typeof model>) => arms.map(({ dialect }) => dialect);

it('compares native calls, the model’s dialect, and one of the other family', () => {
  expect(dialectsOf(model('auto', 'auto'))).toEqual([null, 'hermes', 'qwen3-coder-xml']);
  expect(dialectsOf(model('auto', 'glm-4.5'))).toEqual([null, 'glm-4.5', 'hermes']);
  expect(dialectsOf(model('auto', 'mistral-v11'))).toEqual([null, 'mistral-v11', 'qwen3-coder-xml']);
});

it('a full probe uses the model’s dialect with example calls and without', () => {
  const { arms, inEffect } = model('prompt', 'auto', { size: 'full' });
  expect(arms).toEqual([
    { strategy: 'native', dialect: null },
    { strategy: 'prompt', dialect: 'hermes', examples: false },
    { strategy: 'prompt', dialect: 'hermes', examples: true },
    { strategy: 'prompt', dialect: 'qwen3-coder-xml' },
  ]);
  expect(inEffect).toBe(1);
  expect(model('prompt', 'auto', { size: 'full', examples: true }).inEffect).toBe(2);
  expect(model('prompt', 'auto', { examples: true }).inEffect).toBe(1);
});

it('knows which strategy is in effect', () => {
  expect(model('native', 'auto', { nativeTools: false }).inEffect).toBe(0);
  expect(model('prompt', 'auto').inEffect).toBe(1);
  expect(model('auto', 'auto').inEffect).toBe(0);
  expect(model('auto', 'auto', { nativeTools: true }).inEffect).toBe(0);
  expect(model('auto', 'auto', { nativeTools: false }).inEffect).toBe(1);
});

it('compares constrained calls if the engine offers them and was not seen to ignore them', () => {
  const strategiesOf = ({ arms }: ReturnType<typeof model>) => arms.map(({ strategy }) => strategy);
  const four = ['native', 'strict', 'prompt', 'prompt'];
  const three = ['native', 'prompt', 'prompt'];
  expect(strategiesOf(model('auto', 'auto', { kind: 'vllm' }))).toEqual(four);
  expect(model('strict', 'auto', { kind: 'vllm' }).inEffect).toBe(1);
  expect(model('prompt', 'auto', { kind: 'vllm' }).inEffect).toBe(2);
  expect(strategiesOf(model('auto', 'auto', { kind: 'vllm', nativeTools: false }))).toEqual(four);
  // Where native calls are not held, those in text may be.
  expect(strategiesOf(model('auto', 'auto', { kind: 'vllm', constraints: { strict: false } }))).toEqual(four);
  const ignored = { strict: false, structured_outputs: false, 'response_format.structural_tag': false };
  expect(strategiesOf(model('auto', 'auto', { kind: 'vllm', constraints: ignored }))).toEqual(three);
  // llama.cpp constrains native calls by itself; Ollama a whole answer only.
  expect(strategiesOf(model('auto', 'auto', { kind: 'llamacpp' }))).toEqual(three);
  expect(strategiesOf(model('auto', 'auto', { kind: 'ollama' }))).toEqual(three);
  expect(model('strict', 'auto', { kind: 'ollama' }).inEffect).toBe(0);
});
