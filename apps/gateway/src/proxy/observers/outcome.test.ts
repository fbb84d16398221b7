import { cpuMs } from '@callsmith/testing';
import { expect, it } from 'vitest';
import { ResponseSummary } from '../record/response-summary.ts';
import { callRecords } from './outcome.ts';

const many = 60_000;

it('SC-008 calls are told in linear time, however many an answer has', () => {
  const summary = new ResponseSummary();
  for (let call = 0; call < many; call++) {
    summary.add({ type: 'tool-start', choice: 0, index: call, id: `call_${call}`, name: 'f' });
    summary.add({ type: 'tool-end', choice: 0, index: call, whole: true });
    const note = { stage: 'read', call, action: 'repaired', class: 'BadFraming', rule: 'split-calls' } as const;
    summary.add({ type: 'note', choice: 0, note });
  }
  const began = cpuMs();
  const records = callRecords(summary);
  expect(cpuMs() - began).toBeLessThan(2_000);
  expect(records).toHaveLength(many);
  expect(records.at(-1)).toMatchObject({ n: many - 1, outcome: 'repaired', rules: ['split-calls'] });
});

it('SC-008 another attempt keeps what was done to the request, however much that was', () => {
  const summary = new ResponseSummary();
  for (let call = 0; call < 5 * many; call++)
    summary.add({ type: 'note', choice: 0, note: { stage: 'request', action: 'mended' } });
  summary.add({ type: 'note', choice: 0, note: { stage: 'read', action: 'rescued' } });
  summary.begin();
  expect(summary.notes).toHaveLength(5 * many);
});
