import { expect, it } from 'vitest';
import { probeWish } from './probe-command.ts';

it('takes a model, whose name may hold slashes, and --full on either side of it', () => {
  expect(probeWish(['Qwen/Qwen3-8B'])).toEqual({ model: 'Qwen/Qwen3-8B', size: 'quick' });
  expect(probeWish(['m', '--full'])).toEqual({ model: 'm', size: 'full' });
  expect(probeWish(['--full', 'm'])).toEqual({ model: 'm', size: 'full' });
});

it('takes nothing else', () => {
  for (const args of [[], ['--full'], ['a', 'b'], ['--quick', 'a'], ['a', '--help']])
    expect(probeWish(args)).toBeUndefined();
});
