import type { Finding } from '@callsmith/turn';
import { expect, it } from 'vitest';
import type { RequestRecord } from '../record/request-record.ts';
import { logProblem } from './log.ts';

/** The lines that a request with these notes makes. */
function linesOf(notes: Finding[], model: { name: string; demo: boolean } = { name: 'm', demo: false }): object[] {
  const lines: object[] = [];
  const log = { warn: (fields: object, say: string) => lines.push({ ...fields, say }), error: () => {} };
  const record = {
    request: { requestId: 'req_1', path: '/v1/chat/completions', model },
    attempts: { route: { upstream: { name: 'gpu' } }, count: 1 },
    response: { fault: undefined, notes },
  };
  logProblem(log)(record as unknown as RequestRecord).done?.();
  return lines;
}

const note = (change: Partial<Finding>): Finding => ({
  stage: 'finalize',
  call: 0,
  tool: 'write_file',
  detail: 'arguments: {"secret":1}',
  ...change,
});

it('A-11 dropped and wrapped calls are logged with request, model and class, without arguments', () => {
  const lines = linesOf([
    note({ action: 'wrapped', class: 'InvalidJson' }),
    note({ action: 'dropped', class: 'Truncated' }),
    note({ action: 'dropped', class: 'Truncated', call: 1 }),
    note({ action: 'repaired', class: 'InvalidJson' }),
  ]);
  const at = { requestId: 'req_1', path: '/v1/chat/completions', model: 'm', upstream: 'gpu' };
  expect(lines).toEqual([
    { ...at, action: 'wrapped', class: 'InvalidJson', calls: 1, say: 'tool call wrapped' },
    { ...at, action: 'dropped', class: 'Truncated', calls: 2, say: 'tool call dropped' },
  ]);
  expect(JSON.stringify(lines)).not.toMatch(/secret|write_file/);
});

it('the demo’s own calls are not logged, and nothing is logged if all is well', () => {
  expect(linesOf([note({ action: 'dropped', class: 'Truncated' })], { name: 'demo', demo: true })).toEqual([]);
  expect(linesOf([note({ action: 'repaired', class: 'InvalidJson' })])).toEqual([]);
});
