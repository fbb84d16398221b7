import { describe, expect, it } from 'vitest';
import type { ArmRow } from '../arm-result.ts';
import { type Decision, decide } from './decide.ts';
import type { Call, Evidence, ProbeFound, StrategyForm } from './evidence.ts';

const native: StrategyForm = { strategy: 'native', dialect: null };
const prompt: StrategyForm = { strategy: 'prompt', dialect: 'hermes' };

/** Calls of which every n-th is bad, newest first. */
const calls = (n: number, everyBad: number, given: Partial<Call> = {}): Call[] =>
  Array.from({ length: n }, (_, at) => ({
    ...native,
    key: `key_${at % 3}`,
    client: 'opencode',
    streamed: true,
    manyTools: false,
    bad: at % everyBad === everyBad - 1,
    sinceMove: true,
    ...given,
  }));

const row = (at: number, right: boolean): ArmRow => ({
  key: `1.${at}`,
  case: 1,
  wanted: true,
  right,
  calls: 1,
  valid: right,
  clean: right,
  refused: false,
  inputTokens: 100,
  outputTokens: 10,
  firstTokenMs: 5,
});

const arm = (form: StrategyForm, n: number, wrong: number): ProbeFound['arms'][number] => ({
  ...form,
  name: form.dialect === null ? form.strategy : `prompt with ${form.dialect}`,
  rows: Array.from({ length: n }, (_, at) => row(at, at >= wrong)),
});

const probe = (wrong: { readonly native: number; readonly prompt: number }, given: Partial<ProbeFound> = {}) => ({
  arms: [arm(native, 115, wrong.native), arm(prompt, 115, wrong.prompt)],
  size: 'full' as const,
  isNew: false,
  hoursAgo: 30 * 24,
  ...given,
});

const decided = (given: Partial<Evidence>): Decision =>
  decide({
    now: native,
    calls: [],
    probe: undefined,
    budget: 0.02,
    moves: 0,
    usedUp: false,
    declared: false,
    ...given,
  });

describe('the probe decides', () => {
  it('a new probe with a significantly better strategy switches to it, and says why', () => {
    expect(decided({ probe: probe({ native: 60, prompt: 2 }, { isNew: true }) })).toEqual({
      does: 'move',
      to: prompt,
      why: expect.stringMatching(/^Change to prompt with hermes: right in 113 of 115/),
    });
  });

  it('the same probe result switches only once', () => {
    expect(decided({ probe: probe({ native: 60, prompt: 2 }) }).does).toBe('stay');
  });

  it('a new probe without a significantly better strategy changes nothing', () => {
    expect(decided({ probe: probe({ native: 3, prompt: 0 }, { isNew: true }) }).does).toBe('stay');
  });
});

describe('traffic raises doubt', () => {
  it('one in four failed and a candidate was probed: it switches', () => {
    expect(decided({ calls: calls(100, 4), probe: probe({ native: 0, prompt: 2 }) })).toEqual({
      does: 'move',
      to: prompt,
      why: "25 of 100 failed with native, against 2 of 115 of the probe's with prompt with hermes.",
    });
  });

  it('fewer than 30 calls, or a share that may be chance, change nothing', () => {
    const found = probe({ native: 0, prompt: 0 });
    expect(decided({ calls: calls(29, 2), probe: found }).does).toBe('stay');
    expect(decided({ calls: calls(100, 12), probe: found }).does).toBe('stay');
    expect(decided({ calls: calls(100, 50), probe: found }).does).toBe('stay');
  });

  it('with a larger budget doubt comes later', () => {
    const found = probe({ native: 0, prompt: 0 });
    expect(decided({ calls: calls(100, 5), probe: found, budget: 0.02 }).does).toBe('move');
    expect(decided({ calls: calls(100, 5), probe: found, budget: 0.1 }).does).toBe('stay');
  });

  it('only the last hundred calls count', () => {
    const found = probe({ native: 0, prompt: 0 });
    expect(decided({ calls: [...calls(100, 1000), ...calls(500, 2)], probe: found }).does).toBe('stay');
    expect(decided({ calls: [...calls(100, 4), ...calls(500, 1000)], probe: found }).does).toBe('move');
  });

  it('a candidate that may be as bad is rejected: a probe is requested, then a full one, then it stays', () => {
    const doubtful = calls(100, 6);
    expect(decided({ calls: doubtful })).toMatchObject({ does: 'probe', size: 'quick' });
    const quick = { ...probe({ native: 0, prompt: 20 }), size: 'quick' as const, hoursAgo: 1 };
    expect(decided({ calls: doubtful, probe: quick })).toMatchObject({ does: 'probe', size: 'full' });
    expect(decided({ calls: doubtful, probe: { ...quick, size: 'full' } }).does).toBe('stay');
    expect(decided({ calls: doubtful, probe: { ...quick, size: 'full', hoursAgo: 24 } }).does).toBe('probe');
  });
});

describe('a used-up failure budget', () => {
  const found = probe({ native: 0, prompt: 0 });

  it('is abandoned for something significantly better as soon as more than the budget certainly fails', () => {
    const seven = { calls: calls(100, 14), probe: found };
    expect(decided(seven).does).toBe('stay');
    expect(decided({ ...seven, usedUp: true })).toMatchObject({
      does: 'move',
      to: prompt,
      why: "7 of 100 failed with native and the failure budget is used up, against 0 of 115 of the probe's with prompt with hermes.",
    });
    expect(decided({ calls: calls(100, 2), probe: probe({ native: 0, prompt: 80 }), usedUp: true }).does).toBe('probe');
  });

  it('is the only reason to change a strategy that an admin set', () => {
    const doubtful = { calls: calls(100, 4), probe: found, declared: true };
    expect(decided(doubtful)).toEqual({ does: 'stay', why: 'It was set, and its failure budget is not used up.' });
    expect(decided({ probe: probe({ native: 60, prompt: 2 }, { isNew: true }), declared: true }).does).toBe('stay');
    expect(decided({ ...doubtful, usedUp: true }).does).toBe('move');
    expect(decided({ ...doubtful, usedUp: true, moves: 2 }).does).toBe('alert');
  });
});

describe('it switches rarely', () => {
  const found = probe({ native: 0, prompt: 0 });

  it('after a switch a hundred calls pass before the next', () => {
    expect(decided({ calls: calls(99, 2), probe: found, moves: 1 }).does).toBe('stay');
    expect(decided({ calls: calls(100, 2), probe: found, moves: 1 }).does).toBe('move');
    const before = calls(400, 2, { sinceMove: false });
    expect(decided({ calls: [...calls(99, 2), ...before], probe: found, moves: 1 }).does).toBe('stay');
  });

  it('it switches at most twice a day: then it reports', () => {
    expect(decided({ calls: calls(100, 2), probe: found, moves: 2 })).toEqual({
      does: 'alert',
      why: expect.stringMatching(
        /^It moved 2 times in 24 hours and does not move again\. 50 of 100 failed with native/,
      ),
    });
    expect(decided({ probe: probe({ native: 60, prompt: 0 }, { isNew: true }), moves: 2 }).does).toBe('alert');
  });
});

describe('comparable calls are compared', () => {
  it('a strategy that only got the easier calls is no candidate', () => {
    const hard = calls(90, 2, { client: 'hard' });
    const easy = calls(90, 1000, { ...prompt, client: 'easy' });
    expect(decided({ calls: [...hard, ...easy] }).does).toBe('probe');
    expect(decided({ calls: [...hard, ...easy.map((call) => ({ ...call, client: 'hard' }))] })).toMatchObject({
      does: 'move',
      to: prompt,
    });
  });

  it('better for some kinds of calls and worse for others: a probe decides', () => {
    const own = [...calls(50, 2, { streamed: true }), ...calls(50, 10, { streamed: false })];
    const other = [...calls(50, 1000, { ...prompt, streamed: true }), ...calls(50, 2, { ...prompt, streamed: false })];
    expect(decided({ calls: [...own, ...other] })).toMatchObject({
      does: 'probe',
      why: expect.stringContaining('better for some calls and worse for others'),
    });
  });
});

describe('one key is at most half of the evidence', () => {
  const found = probe({ native: 0, prompt: 0 });

  it('a key with unusual requests among others causes no switch', () => {
    const odd = calls(300, 1, { key: 'odd' });
    expect(decided({ calls: [...odd, ...calls(25, 1000)], probe: found }).does).toBe('move');
    expect(decided({ calls: [...odd, ...calls(14, 1000)], probe: found })).toMatchObject({
      does: 'stay',
      why: '28 of 30 calls that a decision takes.',
    });
  });

  it('a single key decides for itself', () => {
    expect(decided({ calls: calls(100, 4, { key: 'only' }), probe: found }).does).toBe('move');
  });
});

describe('simulated: 2,000 calls, seeded', () => {
  /** A small generator (mulberry32): the same seed gives the same numbers. */
  const randoms = (seed: number) => () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };

  /**
   * The failed share over all calls and the switches, with these failure rates of native and prompt, and without a
   * probe.
   */
  function run(nativeFails: number, promptFails: number, seed: number) {
    const random = randoms(seed);
    const fails = { native: nativeFails, strict: 1, prompt: promptFails };
    let now = native;
    let [moves, bad] = [0, 0];
    let seen: Call[] = [];
    for (let at = 0; at < 2000; at++) {
      const call: Call = {
        ...now,
        key: `key_${at % 4}`,
        client: 'c',
        streamed: true,
        manyTools: false,
        bad: random() < fails[now.strategy],
        sinceMove: true,
      };
      bad += call.bad ? 1 : 0;
      seen = [call, ...seen].slice(0, 500);
      if (at % 10 !== 0) continue;
      const wrong = { native: Math.round(115 * nativeFails), prompt: Math.round(115 * promptFails) };
      const decision = decide({
        now,
        calls: seen,
        probe: probe(wrong),
        budget: 0.02,
        moves,
        usedUp: false,
        declared: false,
      });
      if (decision.does !== 'move') continue;
      now = decision.to;
      moves++;
      seen = seen.map((call) => ({ ...call, sinceMove: false }));
    }
    return { failed: bad / 2000, moves };
  }

  const seeds = Array.from({ length: 20 }, (_, at) => at + 1);
  const over = (nativeFails: number) => seeds.map((seed) => run(nativeFails, 0.02, seed));
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

  it('a strategy that fails in one call of four is left once, within the first calls', () => {
    const runs = over(0.25);
    expect(mean(runs.map(({ failed }) => failed))).toBeLessThan(0.03);
    expect(new Set(runs.map(({ moves }) => moves))).toEqual(new Set([1]));
  });

  it('between equal strategies it stays', () => {
    expect(over(0.02).every(({ moves }) => moves === 0)).toBe(true);
  });
});
