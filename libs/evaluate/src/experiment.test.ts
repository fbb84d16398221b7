import { expect, it } from 'vitest';
import { judgeExperiment } from './experiment.ts';

it('the side with significantly fewer failures is better, by its interval', () => {
  expect(judgeExperiment('prompt', { k: 1, n: 100 }, { k: 25, n: 100 })).toMatchObject({
    better: true,
    sentence: expect.stringMatching(
      /^1 of 100 requests with calls failed with prompt, 25 of 100 without it: clearly better \(-3\d\.\d to -1\d\.\d points\)\.$/,
    ),
  });
  expect(judgeExperiment('prompt', { k: 25, n: 100 }, { k: 1, n: 100 }).better).toBe(false);
});

it('a difference that may be chance decides nothing, however large it looks', () => {
  expect(judgeExperiment('prompt', { k: 0, n: 8 }, { k: 3, n: 10 })).toMatchObject({
    better: null,
    sentence: expect.stringContaining('inconclusive'),
  });
});

it('a side without requests is reported', () => {
  expect(judgeExperiment('prompt', { k: 0, n: 0 }, { k: 3, n: 10 })).toMatchObject({
    better: null,
    tried: null,
    sentence: '0 of 0 requests with calls failed with prompt, 3 of 10 without it: too few to compare.',
  });
});
