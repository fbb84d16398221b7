import type { StrategyChange } from '@callsmith/contracts';
import { expect, test } from 'vitest';
import { linesOf } from './strategy-lines.ts';

const change = (at: string, toStrategy: StrategyChange['toStrategy']): StrategyChange => ({
  id: at,
  at,
  modelId: 'model_1',
  model: 'm',
  fromStrategy: 'native',
  toStrategy,
  fromDialect: null,
  toDialect: null,
  actor: 'a',
  reason: null,
});
const point = (at: string) => ({
  at,
  counts: { clean: 0, repaired: 0, invalid: 0, failed: 0, none: 0 },
  classes: {},
  addedP95Us: null,
});

test('changes in range get a line at their place; close ones share it', () => {
  const series = [0, 1, 2, 3].map((hour) => point(`2026-01-01T0${hour}:00:00.000Z`));
  const changes = [
    change('2026-01-01T02:00:00.000Z', 'prompt'),
    change('2026-01-01T02:10:00.000Z', 'auto'),
    change('2026-01-01T00:00:00.000Z', 'native'),
    change('2025-12-31T00:00:00.000Z', 'prompt'),
  ];
  expect(linesOf({ changes, series, step: 3600 }, 1000)).toEqual([
    { at: '2026-01-01T00:00:00.000Z', late: false, label: 'm: native' },
    { at: '2026-01-01T02:00:00.000Z', late: false, label: 'm: auto (2 changes)' },
  ]);
});

test('a new engine version is marked beside strategy changes', () => {
  const series = [0, 1, 2, 3].map((hour) => point(`2026-01-01T0${hour}:00:00.000Z`));
  const marks = [
    { at: '2026-01-01T01:00:00.000Z', label: 'Engine: 0.12.0' },
    { at: '2025-12-31T01:00:00.000Z', label: 'Engine: 0.11.0' },
  ];
  const changes = [change('2026-01-01T03:00:00.000Z', 'prompt')];
  expect(linesOf({ changes, series, step: 3600, marks }, 1000).map(({ label }) => label)).toEqual([
    'Engine: 0.12.0',
    'm: prompt',
  ]);
});

test('on a narrow chart words run to the side that has room', () => {
  const series = [0, 1, 2, 3].map((hour) => point(`2026-01-01T0${hour}:00:00.000Z`));
  const changes = [change('2026-01-01T03:00:00.000Z', 'prompt')];
  expect(linesOf({ changes, series, step: 3600 }, 300).map(({ late }) => late)).toEqual([true]);
  expect(linesOf({ changes, series, step: 3600 }, 1000).map(({ late }) => late)).toEqual([false]);
});
