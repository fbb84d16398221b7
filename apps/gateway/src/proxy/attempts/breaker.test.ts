import { expect, it } from 'vitest';
import { Breaker, type BreakerOutcome } from './breaker.ts';

const at = (model: string, upstreamId = 'up') => ({ upstreamId, model });
const fails = (breaker: Breaker, model: string, times: number, now: number, how: BreakerOutcome = 'model'): void => {
  for (let n = 0; n < times; n++) breaker.report(at(model), how, now);
};

it('D-38 a model that failed five requests in a row is taken out of rotation, gets one probe request, and returns on success', () => {
  const breaker = new Breaker({ failures: 5, restMs: 100 });
  for (let n = 0; n < 5; n++) {
    expect(breaker.admits(at('a'), 0)).toBe(true);
    breaker.report(at('a'), 'model', 0);
  }
  expect([breaker.admits(at('a'), 0), breaker.opensIn(at('a'), 40)]).toEqual([false, 60]);
  expect([breaker.admits(at('a'), 150), breaker.admits(at('a'), 150)]).toEqual([true, false]);
  breaker.report(at('a'), 'answered', 150);
  expect([breaker.admits(at('a'), 150), breaker.openModels()]).toEqual([true, []]);
});

it('D-38 other models of the same upstream stay in rotation', () => {
  const breaker = new Breaker({ failures: 2, restMs: 100 });
  fails(breaker, 'a', 2, 0);
  expect([breaker.admits(at('a'), 0), breaker.admits(at('b'), 0), breaker.admits(at('a', 'other'), 0)]).toEqual([
    false,
    true,
    true,
  ]);
  expect([breaker.stateOf(at('a')), breaker.stateOf(at('b')), breaker.openUpstreams()]).toEqual([
    'model',
    undefined,
    [],
  ]);
  expect(breaker.openModels()).toEqual([at('a')]);
});

it('D-38 an unreachable upstream is taken out of rotation as a whole, whichever model was requested', () => {
  const breaker = new Breaker({ failures: 3, restMs: 100 });
  for (const model of ['a', 'b', 'c']) breaker.report(at(model), 'upstream', 0);
  expect([breaker.openUpstreams(), breaker.admits(at('d'), 0), breaker.opensIn(at('d'), 0)]).toEqual([
    ['up'],
    false,
    100,
  ]);
  // One probe for all of its models.
  expect([breaker.admits(at('d'), 120), breaker.admits(at('a'), 120)]).toEqual([true, false]);
  breaker.report(at('d'), 'answered', 130);
  expect([breaker.openUpstreams(), breaker.admits(at('a'), 130)]).toEqual([[], true]);
});

it('D-38 three models of one upstream that open within 60 s open the upstream; over a longer time they do not', () => {
  const quick = new Breaker({ failures: 2, restMs: 100 });
  fails(quick, 'a', 2, 0);
  fails(quick, 'b', 2, 30_000);
  expect(quick.openUpstreams()).toEqual([]);
  fails(quick, 'c', 2, 59_000);
  expect([quick.openUpstreams(), quick.admits(at('d'), 59_050), quick.admits(at('d'), 59_200)]).toEqual([
    ['up'],
    false,
    true,
  ]);
  const slow = new Breaker({ failures: 2, restMs: 100 });
  for (const [turn, model] of ['a', 'b', 'c', 'd'].entries()) fails(slow, model, 2, turn * 40_000);
  expect(slow.openUpstreams()).toEqual([]);
});

it('D-38 one model that keeps failing counts as one model', () => {
  const breaker = new Breaker({ failures: 2, restMs: 100 });
  fails(breaker, 'a', 200, 0);
  expect(breaker.openUpstreams()).toEqual([]);
});

it('an upstream that three models opened stays out of rotation while its probes fail, and a successful response closes it', () => {
  const breaker = new Breaker({ failures: 1, restMs: 100 });
  for (const model of ['a', 'b', 'c']) breaker.report(at(model), 'model', 0);
  expect(breaker.admits(at('d'), 150)).toBe(true);
  breaker.report(at('d'), 'model', 160);
  expect(breaker.admits(at('e'), 200)).toBe(false);
  expect(breaker.admits(at('e'), 300)).toBe(true);
  breaker.report(at('e'), 'answered', 310);
  expect([breaker.openUpstreams(), breaker.stateOf(at('a')), breaker.stateOf(at('e'))]).toEqual([
    [],
    'model',
    undefined,
  ]);
});

it('a model that is out of rotation takes no probe from its upstream', () => {
  const breaker = new Breaker({ failures: 1, restMs: 100 });
  breaker.report(at('a'), 'upstream', 0);
  breaker.report(at('a'), 'model', 90);
  expect([breaker.admits(at('a'), 120), breaker.admits(at('b'), 120)]).toEqual([false, true]);
});
