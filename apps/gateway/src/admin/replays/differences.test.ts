import type { Reading } from '@callsmith/contracts';
import { expect, it } from 'vitest';
import { differencesOf, type GotCall } from './differences.ts';

const read = (reading: Partial<Reading>, ...got: GotCall[]) => ({
  reading: { outcome: 'clean' as const, classes: [], errorCode: null, calls: [], ...reading },
  got,
});
const call = (name: string, text = '{}') => ({ name, arguments: text });

it('two readings that are the same do not differ', () => {
  expect(differencesOf(read({}, call('read')), read({}, call('read')))).toEqual([]);
});

it('rules that mended are told', () => {
  const mended = (...rules: string[]) => read({ calls: [{ tool: 'read', outcome: 'repaired', rules }] });
  expect(differencesOf(mended('close-brackets'), mended('close-brackets'))).toEqual([]);
  expect(differencesOf(mended('close-brackets'), mended('foreign-dialect'))).toEqual([
    'no longer rule close-brackets',
    'rule foreign-dialect is new',
  ]);
});

it('outcome, classes and calls are told apart', () => {
  const old = read({ outcome: 'failed', classes: ['InvalidJson', 'LeakedCall'] }, call('read', '{"input":"x"}'));
  const now = read(
    { outcome: 'repaired', classes: ['LeakedCall', 'BadFraming'] },
    call('read', '{"path":"x"}'),
    call('ls'),
  );
  expect(differencesOf(old, now)).toEqual([
    'failed, now repaired',
    'no longer InvalidJson',
    'BadFraming is new',
    'the arguments of call 1, read, differ from character 3 on',
    'call 2, ls, goes out now',
  ]);
  expect(differencesOf(now, read({ outcome: 'none' }, call('grep'))).slice(-2)).toEqual([
    'call 1 was read, now grep',
    'call 2, ls, no longer goes out',
  ]);
  expect(differencesOf(read({ outcome: null, errorCode: 'tool_call_truncated' }), read({ outcome: null }))).toEqual([
    'tool_call_truncated, now no tools',
  ]);
});
