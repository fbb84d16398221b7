import { ToolTable, type Turn } from '@callsmith/turn';
import { expect, it } from 'vitest';
import { choose } from './choose.ts';

const turn = (tools: number): Turn => ({
  model: 'm',
  messages: [{ role: 'user', content: 'hi' }],
  tools: new ToolTable(Array.from({ length: tools }, (_, at) => ({ name: `t${at}` }))),
  toolChoice: 'auto',
  parallel: true,
  stream: true,
  includeUsage: true,
  n: 1,
  sampling: {},
});

it('R-10, FR-015: what is set is used', () => {
  expect(choose({ configured: 'native', turn: turn(1), takesTools: false })).toBe('native');
  expect(choose({ configured: 'prompt', turn: turn(0) })).toBe('prompt');
});

it('H-6: auto is native until something speaks against it', () => {
  expect(choose({ configured: 'auto', turn: turn(1) })).toBe('native');
  expect(choose({ configured: 'auto', turn: turn(1), takesTools: false })).toBe('prompt');
  expect(choose({ configured: 'auto', turn: turn(0), takesTools: false })).toBe('native');
});

it('H-8: strict is native where native calls are held, else by prompt where calls in text are', () => {
  const holds = (native: boolean, text: boolean) => ({ native: () => native, text: () => text });
  expect(choose({ configured: 'strict', turn: turn(1), holds: holds(true, true) })).toBe('native');
  expect(choose({ configured: 'strict', turn: turn(1), holds: holds(false, true) })).toBe('prompt');
  expect(choose({ configured: 'strict', turn: turn(1), holds: holds(false, false) })).toBe('native');
  expect(choose({ configured: 'strict', turn: turn(1), takesTools: false, holds: holds(true, true) })).toBe('prompt');
  expect(choose({ configured: 'strict', turn: turn(0), holds: holds(false, true) })).toBe('native');
});
