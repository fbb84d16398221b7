import type { TurnRow } from '@callsmith/contracts';
import { expect, it } from 'vitest';
import { cacheMissReasons, hadCacheMiss } from './cache-miss.ts';

const turn = (given: Partial<TurnRow>) =>
  ({ model: 'm', upstream: 'u', strategyUsed: 'native', dialect: 'auto', engineVersion: null, ...given }) as TurnRow;
const tokens = (inputTokens: number | null, cachedTokens: number | null) => turn({ inputTokens, cachedTokens });

it.each([
  ['all of the request before is cached', tokens(1000, 0), tokens(1200, 990), false],
  ['nothing is', tokens(1000, 900), tokens(1200, 0), true],
  ['only the tools are', tokens(1000, 900), tokens(1200, 300), true],
  ['a shorter one finds all of itself', tokens(1000, 900), tokens(400, 400), false],
  ['the server does not say', tokens(1000, 900), tokens(1200, null), undefined],
  ['the one before has no figures', tokens(null, null), tokens(1200, 0), undefined],
  ['it is the first', undefined, tokens(1200, 0), undefined],
])('a prefix: %s', (_, before, now, fell) => expect(hadCacheMiss(before, now)).toBe(fell));

it('another upstream, model or strategy is a reason by itself', () => {
  expect(cacheMissReasons(turn({}), turn({}))).toEqual([]);
  expect(cacheMissReasons(turn({}), turn({ upstream: 'v', strategyUsed: 'prompt', fallbackModel: 'n' }))).toEqual([
    'The model changed from m to n.',
    'The upstream changed from u to v.',
    'The strategy changed from native to prompt.',
  ]);
});
