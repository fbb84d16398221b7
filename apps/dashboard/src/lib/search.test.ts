import { expect, it } from 'vitest';
import { searchOf } from './search.ts';

it('what is typed is an ID, the path of an argument, or words', () => {
  const id = `turn_${'0a'.repeat(16)}`;
  expect(searchOf(` ${id} `, true)).toEqual({ turn: id });
  expect(searchOf('req_01abc', true)).toEqual({ requestId: 'req_01abc' });
  expect(searchOf('argument: edits.path', true)).toEqual({ argument: 'edits.path' });
  expect(searchOf('turn_left at req_ ', true)).toEqual({ text: 'turn_left at req_' });
  expect(searchOf('"not found" src/app.ts', true)).toEqual({ text: '"not found" src/app.ts' });
  expect(searchOf('  ', true)).toBeUndefined();
});

it('who may not read message content searches by IDs', () => {
  expect(searchOf('my-own-id', false)).toEqual({ requestId: 'my-own-id' });
  expect(searchOf('argument:path', false)).toEqual({ requestId: 'argument:path' });
});
