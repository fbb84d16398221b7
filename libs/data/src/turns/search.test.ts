import { facetName } from '@callsmith/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestRecord, type TestRecord } from '../record/test-record.ts';
import { testTurn } from '../record/test-turns.ts';
import { facetsOf } from './facets.ts';
import type { TurnFilter } from './filter.ts';
import { listTurns, pageOfTurns } from './list.ts';
import type { SearchBounds } from './search-bodies.ts';

const HOUR = 3_600_000;
const now = new Date();
const day: TurnFilter = { from: new Date(now.getTime() - 24 * HOUR), to: new Date(now.getTime() + HOUR) };

let record: TestRecord;
beforeAll(async () => {
  record = await startTestRecord();
  await record.write(
    Array.from({ length: 90 }, (_, n) =>
      testTurn({
        at: new Date(now.getTime() - n * 1_000),
        modelId: n % 9 === 0 ? 'model_rare' : 'model_1',
        teamId: n % 5 === 0 ? 'team_2' : 'team_1',
        body: {
          clientRequest: JSON.stringify({ input: n % 2 === 0 ? 'open the big red door' : 'open the red big door' }),
          upstreamRequest: null,
          raw: [{ choice: 0, text: n % 30 === 0 ? 'needle' : 'done', reasoning: '', cuts: [], fragments: [] }],
          delivered: [{ text: 'done', calls: [{ name: 'a', arguments: n % 3 === 0 ? '{"path":"x"}' : '{}' }] }],
          notes: [],
          settings: {},
        },
      }),
    ),
  );
});
afterAll(() => record.stop());

/** All pages of a search of which each looks so far. */
async function pagesOf(filter: TurnFilter, limit: number, bounds: SearchBounds) {
  const pages: (readonly string[])[] = [];
  for (let before: string | undefined, count = 0; count === 0 || before !== undefined; count++) {
    if (count > 100) throw new Error('the pages do not end');
    const { turns, next } = await pageOfTurns(record.prisma, filter, { before, limit }, bounds);
    pages.push(turns.map(({ id }) => id));
    before = next ?? undefined;
  }
  return pages;
}

describe('a search of message content', () => {
  it.each<[string, Partial<TurnFilter>, number]>([
    ['a word of all', { text: 'door' }, 90],
    ['a rare word', { text: 'needle' }, 3],
    ['a word that is nowhere', { text: 'nowhere' }, 0],
    ['a phrase whose words are in all', { text: '"big red"' }, 45],
    ['a phrase that is nowhere, whose words are in all', { text: '"door open"' }, 0],
    ['a word of all, of a rare model', { text: 'door', modelId: 'model_rare' }, 10],
    ['a word of all, of a team', { text: 'door', teamId: 'team_2' }, 18],
    ['a rare word, of a team', { text: 'needle', teamId: 'team_2' }, 3],
    ['a word of another team', { text: 'needle', teamId: 'team_1' }, 0],
    ['an argument', { argument: 'path' }, 30],
    ['an argument and a phrase', { argument: 'path', text: '"red big"' }, 15],
  ])('finds %s in pages that each look at a few requests', async (_, filter, found) => {
    const all = (await listTurns(record.prisma, { ...day, ...filter }, { before: undefined, limit: 200 })).map(
      ({ id }) => id,
    );
    expect(all).toHaveLength(found);
    for (const [limit, read, found] of [
      [10, 7, 7],
      [3, 20, 4],
      [5, 5, 1],
      [200, 1, 1],
      [1, 200, 200],
      [200, 200, 200],
      [200, 2, 100],
      [200, 60, 2],
    ] as const) {
      const pages = await pagesOf({ ...day, ...filter }, limit, { read, found });
      expect(pages.flat()).toEqual(all);
      for (const page of pages) expect(page.length).toBeLessThanOrEqual(limit);
    }
  });

  it('counts what was looked at, and says that it is not all', async () => {
    const count = (text: string, read: number, found: number) =>
      facetsOf(record.prisma, { ...day, text }, facetName.options, undefined, { read, found });
    expect(await count('"big red"', 40, 40)).toMatchObject({ total: 20, newest: 40 });
    expect(await count('"big red"', 91, 1)).toMatchObject({ total: 45, newest: null });
    expect(await count('needle', 40, 40)).toMatchObject({ total: 3, newest: null });
    expect(await count('needle', 40, 1)).toMatchObject({ total: 3, newest: 3 });
  });

  it('security 29: of a team shows nothing of others: neither how many requests they have nor when', async () => {
    const filter = { ...day, text: 'door', teamId: 'team_2' };
    const own = (await listTurns(record.prisma, filter, { before: undefined, limit: 200 })).map(({ id }) => id);
    const bounds = { read: 4, found: 4 };
    const { turns, next } = await pageOfTurns(record.prisma, filter, { before: undefined, limit: 50 }, bounds);
    expect(turns.map(({ id }) => id)).toEqual(own.slice(0, 4));
    expect(next).toBe(own[3]);
    const counts = await facetsOf(record.prisma, filter, facetName.options, undefined, bounds);
    expect(counts).toMatchObject({ total: 4, newest: 4 });
    const rare = await pageOfTurns(
      record.prisma,
      { ...filter, text: 'nowhere' },
      { before: undefined, limit: 50 },
      bounds,
    );
    expect(rare).toEqual({ turns: [], next: own[3] });
  });
});
