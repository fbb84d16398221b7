import type { ParseResult } from '@callsmith/contracts';
import { expect, it } from 'vitest';
import { type DeliveredCall, differencesOf } from './differences.ts';

const read = (reading: Partial<ParseResult>, ...got: DeliveredCall[]) => ({
  reading: { outcome: 'clean' as const, classes: [], errorCode: null, calls: [], ...reading },
  got,
});
const call = (name: string, text = '{}') => ({ name, arguments: text });

it('two equal parses do not differ', () => {
  expect(differencesOf(read({}, call('read')), read({}, call('read')))).toEqual([]);
});

it('rules that repaired calls are named', () => {
  const repairedBy = (...rules: string[]) => read({ calls: [{ tool: 'read', outcome: 'repaired', rules }] });
  expect(differencesOf(repairedBy('close-brackets'), repairedBy('close-brackets'))).toEqual([]);
  expect(differencesOf(repairedBy('close-brackets'), repairedBy('foreign-dialect'))).toEqual([
    'rule close-brackets no longer applied',
    'rule foreign-dialect newly applied',
  ]);
});

it('outcome, classes and calls are compared separately', () => {
  const old = read({ outcome: 'failed', classes: ['InvalidJson', 'LeakedCall'] }, call('read', '{"input":"x"}'));
  const now = read(
    { outcome: 'repaired', classes: ['LeakedCall', 'BadFraming'] },
    call('read', '{"path":"x"}'),
    call('ls'),
  );
  expect(differencesOf(old, now)).toEqual([
    'failed, now repaired',
    'InvalidJson no longer found',
    'BadFraming newly found',
    'the arguments of call 1, read, differ starting at character 3',
    'call 2, ls, is now returned',
  ]);
  expect(differencesOf(now, read({ outcome: 'none' }, call('grep'))).slice(-2)).toEqual([
    'call 1 was read, now grep',
    'call 2, ls, is no longer returned',
  ]);
  expect(differencesOf(read({ outcome: null, errorCode: 'tool_call_truncated' }), read({ outcome: null }))).toEqual([
    'tool_call_truncated, now no tools',
  ]);
});
