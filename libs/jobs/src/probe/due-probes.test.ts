import type { ModelEntry } from '@callsmith/data/snapshot';
import { expect, it } from 'vitest';
import { dueProbes } from './due-probes.ts';

const now = new Date('2026-11-22T12:00:00Z');
const hoursAgo = (hours: number) => new Date(now.getTime() - hours * 3_600_000);

type Model = Parameters<typeof dueProbes>[0][number];
const model = (schedule: 'daily' | 'weekly' | undefined, ...versions: (string | undefined)[]): Model => ({
  id: 'model_a',
  probeSchedule: schedule && { value: schedule, source: 'declared' },
  routes: versions.map((engineVersion, at) => ({
    upstream: { id: `up_${at}`, engineVersion },
  })) as unknown as ModelEntry['routes'],
});
const last = (hours: number, engineVersion: string | null = '1', upstreamId = 'up_0') => ({
  modelId: 'model_a',
  upstreamId,
  engineVersion,
  at: hoursAgo(hours),
});
const due = (one: Model, ...before: ReturnType<typeof last>[]) =>
  dueProbes([one], before, now).map(({ upstreamId, cause }) => `${upstreamId}: ${cause}`);

it('by default nothing is due, probed before or not', () => {
  expect(due(model(undefined, '1'))).toEqual([]);
  expect(due(model(undefined, '1'), last(1_000))).toEqual([]);
});

it('a schedule is due when its time has passed, on the upstream that is used first', () => {
  expect(due(model('daily', '1', '1'))).toEqual(['up_0: schedule']);
  expect(due(model('daily', '1'), last(23))).toEqual([]);
  expect(due(model('daily', '1'), last(24))).toEqual(['up_0: schedule']);
  expect(due(model('weekly', '1'), last(24))).toEqual([]);
  expect(due(model('weekly', '1'), last(7 * 24))).toEqual(['up_0: schedule']);
});

it('another version of the engine is due where the model was probed with the one before', () => {
  expect(due(model(undefined, '2'), last(1))).toEqual(['up_0: engine-version']);
  expect(due(model(undefined, '1', '2'), last(1), last(1, '1', 'up_1'))).toEqual(['up_1: engine-version']);
  expect(due(model(undefined, '2'))).toEqual([]);
});

it('an unknown version is not another version', () => {
  expect(due(model(undefined, undefined), last(1))).toEqual([]);
  expect(due(model(undefined, '1'), last(1, null))).toEqual([]);
});
