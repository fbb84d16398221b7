import { describe, expect, it } from 'vitest';
import type { ArmRow } from './arm-result.ts';
import { probeRequests } from './probe-requests.ts';
import { furtherQuestions, type ProbeSize, probeQuestions } from './rounds.ts';

const questions = { quick: probeQuestions('seed', 'quick'), full: probeQuestions('seed', 'full') };

/** Answers to all first questions of a probe, the first ones wrong. */
const rows = (size: ProbeSize, wrong: number): ArmRow[] =>
  questions[size].map(({ key, case: number }, at) => ({
    key,
    case: number,
    wanted: true,
    right: at >= wrong,
    calls: 1,
    valid: true,
    clean: true,
    refused: false,
    inputTokens: 100,
    outputTokens: 20,
    firstTokenMs: 50,
  }));

const further = (size: ProbeSize, wrong: readonly number[], inEffect = 0): number[] => {
  const arms = wrong.map((count, at) => ({ name: `arm ${at}`, rows: rows(size, count) }));
  const own = questions[size].length * arms.length;
  const requests = probeRequests({ seed: 'seed', size, arms, inEffect });
  expect(requests.slice(0, own).map(([{ key }]) => key)).toEqual(
    questions[size].flatMap(({ key }) => arms.map(() => key)),
  );
  return [...new Set(requests.slice(own).map(([, arm]) => arm))].sort();
};

describe('a full probe', () => {
  it('asks more about what may be better, beside what is in effect', () => {
    expect(further('full', [5, 0, 9])).toEqual([0, 1]);
    expect(further('full', [0, 9, 5], 2)).toEqual([0, 2]);
    expect(further('full', [6, 1, 0, 9])).toEqual([0, 1, 2]);
  });

  it('asks nothing more if something is significantly better, or nothing is by two points', () => {
    expect(further('full', [20, 0])).toEqual([]);
    expect(further('full', [2, 0])).toEqual([]);
    expect(further('full', [0, 5])).toEqual([]);
  });

  it('asks nothing more before all its first questions are answered', () => {
    const arms = [
      { name: 'native', rows: rows('full', 5) },
      { name: 'prompt', rows: rows('full', 0).slice(1) },
    ];
    expect(probeRequests({ seed: 'seed', size: 'full', arms, inEffect: 0 })).toHaveLength(230);
  });

  it('asks the same if some of it is answered, whatever the answers are', () => {
    const more = furtherQuestions('seed', 'full').map(({ key }) => ({ ...(rows('full', 0)[0] as ArmRow), key }));
    const before = [
      { name: 'native', rows: rows('full', 5) },
      { name: 'prompt', rows: rows('full', 0) },
    ];
    const after = before.map((arm) => ({ ...arm, rows: [...arm.rows, ...more.slice(0, 40)] }));
    const requestsFor = (arms: typeof before) =>
      probeRequests({ seed: 'seed', size: 'full', arms, inEffect: 0 }).map(([{ key }, arm]) => `${arm} ${key}`);
    expect(requestsFor(after)).toEqual(requestsFor(before));
    expect(requestsFor(after)).toHaveLength(460);
    expect(new Set(requestsFor(after)).size).toBe(460);
  });
});

it('a quick probe asks nothing more', () => {
  expect(further('quick', [5, 0])).toEqual([]);
});
