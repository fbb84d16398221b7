import type { TrialAnswer, TrialRow } from '@callsmith/contracts';
import { expect, it } from 'vitest';
import { outcomesText, trialSums } from './trial-sums.ts';

const answer = (outcome: TrialAnswer['outcome'], more: Partial<TrialAnswer> = {}): TrialAnswer => ({
  outcome,
  classes: [],
  calls: 1,
  inputTokens: 100,
  outputTokens: 10,
  totalMs: 1_000,
  errorCode: null,
  errorMessage: null,
  ...more,
});
const row = (old: TrialAnswer | null, now: TrialAnswer | null): TrialRow => ({
  turn: null,
  builtIn: null,
  old,
  new: now,
});

it('then and now are summed over the same requests: those that have been tried', () => {
  const rows = [
    row(answer('failed'), answer('clean', { inputTokens: 150 })),
    row(answer('failed'), answer('repaired', { inputTokens: 150, totalMs: 500 })),
    row(answer('failed', { inputTokens: 9_999 }), null),
  ];
  const sums = trialSums(rows);
  expect(sums.tried).toBe(2);
  expect(sums.old).toMatchObject({ inputTokens: 200, outputTokens: 20, totalMs: 2_000 });
  expect(sums.new).toMatchObject({ inputTokens: 300, outputTokens: 20, totalMs: 1_500 });
  expect(sums.old && outcomesText(sums.old)).toBe('2 failed');
  expect(outcomesText(sums.new)).toBe('1 clean, 1 repaired');
});

it('built-in requests have no then; what nobody counted is not 0', () => {
  const failed = answer(null, { inputTokens: null, outputTokens: null, errorCode: 'upstream_rejected' });
  const sums = trialSums([row(null, failed), row(null, answer('none'))]);
  expect(sums.old).toBeNull();
  expect(outcomesText(sums.new)).toBe('1 no call, 1 error');
  expect(trialSums([row(null, failed)]).new.inputTokens).toBeNull();
});
