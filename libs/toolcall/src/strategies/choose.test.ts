import { ToolTable, type Turn } from '@callsmith/turn';
import { expect, it } from 'vitest';
import { choose, type LearnedStrategy, learnedForMs } from './choose.ts';

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
const learned: LearnedStrategy = {
  strategy: 'prompt',
  reason: 'It does not support tools.',
  engineVersion: '0.9',
  at: 1_000,
};

it('R-10, FR-015: what is set is used', () => {
  expect(choose({ configured: 'native', turn: turn(1), learned, now: 2_000 }).strategy).toBe('native');
  expect(choose({ configured: 'prompt', turn: turn(0), now: 2_000 }).strategy).toBe('prompt');
});

it('D-25: auto keeps to what was learned, for a day and for one engine version', () => {
  const auto = { configured: 'auto', turn: turn(1), learned } as const;
  expect(choose({ ...auto, now: 2_000 })).toEqual({ strategy: 'prompt', reason: learned.reason });
  expect(choose({ ...auto, now: 1_000 + learnedForMs }).strategy).toBe('native');
  expect(choose({ ...auto, engineVersion: '0.9', now: 2_000 }).strategy).toBe('prompt');
  expect(choose({ ...auto, engineVersion: '0.10', now: 2_000 }).strategy).toBe('native');
});

it('H-6: auto is native until something speaks against it', () => {
  expect(choose({ configured: 'auto', turn: turn(1), now: 0 }).strategy).toBe('native');
  expect(choose({ configured: 'auto', turn: turn(1), takesTools: false, now: 0 }).strategy).toBe('prompt');
  expect(choose({ configured: 'auto', turn: turn(0), takesTools: false, learned, now: 2_000 }).strategy).toBe('native');
});
