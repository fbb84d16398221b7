import type { ReplayRow } from '@callsmith/contracts';
import { expect, it } from 'vitest';
import { changesText, replayCounts } from './replay-counts.ts';

const reading = (outcome: ReplayRow['old']['outcome']) => ({ outcome, classes: [], errorCode: null, calls: [] });
const row = (
  old: ReplayRow['old']['outcome'],
  now: ReplayRow['old']['outcome'] | undefined,
  differences: string[] = ['something'],
) => ({ old: reading(old), new: now === undefined ? null : reading(now), differences }) as unknown as ReplayRow;

it('answers are counted by how they came out beside then', () => {
  const sums = replayCounts([
    row('failed', 'failed', []),
    row('failed', 'clean'),
    row('repaired', 'clean'),
    row('clean', 'failed'),
    row('none', 'repaired'),
    row('failed', 'failed'),
    row('failed', undefined, []),
  ]);
  expect(sums).toEqual({ same: 1, better: 2, worse: 1, changed: 2, unparsed: 1 });
  expect(changesText(sums)).toBe('1 unchanged, 2 better, 1 worse, 2 changed, 1 could not be parsed');
  expect(changesText(replayCounts([]))).toBe('');
});
