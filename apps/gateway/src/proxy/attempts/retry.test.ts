import type { ModelEntry, Route } from '@callsmith/data/snapshot';
import { Fault } from '@callsmith/turn';
import { expect, it } from 'vitest';
import { Breaker } from './breaker.ts';
import { firstRoute, hashFraction } from './retry.ts';

const model = (...weights: number[]): ModelEntry =>
  ({
    name: 'm',
    routes: weights.map(
      (weight, at) =>
        ({
          upstream: { id: `up_${at}`, name: `gpu${at}`, baseUrl: 'http://gpu/v1' },
          upstreamModel: 'm',
          weight,
        }) as Route,
    ),
  }) as unknown as ModelEntry;

const at = (upstreamId: string) => ({ upstreamId, model: 'm' });

const chosen = (of: ModelEntry, point: number, breaker = new Breaker()): string =>
  firstRoute(of, breaker, () => point).upstream.id;

it('spreads by weight, and asks one of weight 0 only where no other is up', () => {
  const three = model(1, 3, 0);
  expect([0, 0.24, 0.25, 0.99].map((point) => chosen(three, point))).toEqual(['up_0', 'up_0', 'up_1', 'up_1']);
  expect(chosen(model(0, 0), 0.9)).toBe('up_0');
  const breaker = new Breaker({ failures: 1, restMs: 60_000 });
  breaker.report(at('up_1'), 'model');
  expect(chosen(three, 0.9, breaker)).toBe('up_0');
  breaker.report(at('up_0'), 'model');
  expect(chosen(three, 0.9, breaker)).toBe('up_2');
  breaker.report(at('up_2'), 'model');
  expect(() => chosen(three, 0.9, breaker)).toThrow(Fault);
});

it('using one that is up takes no probe from one that is out of rotation', () => {
  let now = 0;
  const breaker = new Breaker({ failures: 1, restMs: 1000 });
  breaker.report(at('up_1'), 'model', now);
  now = 2000;
  expect(chosen(model(1, 0), 0.5, breaker)).toBe('up_0');
  expect(breaker.admits(at('up_1'), now)).toBe(true);
});

it('a conversation stays with its upstream; many are distributed evenly', () => {
  const ids = Array.from({ length: 400 }, (_, at) => (at * 0x9e3779b97f4a).toString(16).padStart(12, '0').slice(-12));
  const counts = { up_0: 0, up_1: 0 };
  for (const id of ids) {
    const upstream = chosen(model(1, 1), hashFraction(id)) as keyof typeof counts;
    expect(chosen(model(1, 1), hashFraction(id))).toBe(upstream);
    counts[upstream]++;
  }
  expect(Math.min(...Object.values(counts))).toBeGreaterThan(140);
});
