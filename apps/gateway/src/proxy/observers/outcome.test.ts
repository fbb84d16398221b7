import { cpuMs } from '@callsmith/testing';
import type { Finding } from '@callsmith/turn';
import { expect, it } from 'vitest';
import { newResponseSummary } from '../record/response-summary.ts';
import { callRecords, outcomeOf } from './outcome.ts';

const many = 60_000;

it('SC-008 calls are summarized in linear time, however many a response has', () => {
  const summary = newResponseSummary();
  for (let call = 0; call < many; call++) {
    summary.add({ type: 'tool-start', choice: 0, index: call, id: `call_${call}`, name: 'f' });
    summary.add({ type: 'tool-end', choice: 0, index: call, whole: true });
    const note = { stage: 'parse', call, action: 'repaired', class: 'BadFraming', rule: 'split-calls' } as const;
    summary.add({ type: 'note', choice: 0, note });
  }
  const began = cpuMs();
  const records = callRecords(summary);
  expect(cpuMs() - began).toBeLessThan(2_000);
  expect(records).toHaveLength(many);
  expect(records.at(-1)).toMatchObject({ n: many - 1, outcome: 'repaired', rules: ['split-calls'] });
});

it('SC-008 another attempt keeps the record of changes to the request, however many there are', () => {
  const summary = newResponseSummary();
  for (let call = 0; call < 5 * many; call++)
    summary.add({ type: 'note', choice: 0, note: { stage: 'request', action: 'mended' } });
  summary.add({ type: 'note', choice: 0, note: { stage: 'parse', action: 'rescued' } });
  summary.begin();
  expect(summary.notes).toHaveLength(5 * many);
});

/** The outcome of a call that went out with these notes, and of its turn. */
function outcomeWith(...notes: Finding[]): [string | undefined, string | null] {
  const summary = newResponseSummary();
  summary.add({ type: 'tool-start', choice: 0, index: 0, id: 'call_1', name: 'f' });
  summary.add({ type: 'tool-end', choice: 0, index: 0, whole: true });
  for (const note of notes) summary.add({ type: 'note', choice: 0, note });
  const records = callRecords(summary);
  return [records[0]?.outcome, outcomeOf(records, notes, 1, false)];
}

it('D-34 a call that went out although it does not satisfy its schema, or names no tool on offer, is invalid', () => {
  const ofCall = { stage: 'finalize', call: 0 } as const;
  expect(outcomeWith({ ...ofCall, class: 'SchemaMismatch', detail: '/n: type' })).toEqual(['invalid', 'invalid']);
  expect(outcomeWith({ ...ofCall, class: 'UnknownName' })).toEqual(['invalid', 'invalid']);
  expect(outcomeWith({ ...ofCall, class: 'MissingArguments' })).toEqual(['invalid', 'invalid']);
  const repaired = { ...ofCall, class: 'SchemaMismatch', rule: 'string-to-number', action: 'repaired' } as const;
  expect(outcomeWith(repaired)).toEqual(['repaired', 'repaired']);
  expect(outcomeWith(repaired, { ...ofCall, class: 'SchemaMismatch' })).toEqual(['invalid', 'invalid']);
  const wrapped = { ...ofCall, class: 'InvalidJson', rule: 'wrap-input', action: 'wrapped' } as const;
  expect(outcomeWith(wrapped, { ...ofCall, class: 'SchemaMismatch' })).toEqual(['failed', 'failed']);
  expect(outcomeWith({ ...ofCall, detail: 'unchecked' })).toEqual(['clean', 'clean']);
});
