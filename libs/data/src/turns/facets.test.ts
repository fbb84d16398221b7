import { type FacetName, facetName } from '@callsmith/contracts';
import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { PrismaService } from '../database/prisma.ts';
import { startTestRecord, type TestRecord } from '../record/test-record.ts';
import { failedTurn, testCall, testTurn } from '../record/test-turns.ts';
import type { TurnRecord } from '../record/turn-record.ts';
import { type FacetCounts, facetsOf } from './facets.ts';
import type { TurnFilter } from './filter.ts';
import { listTurns } from './list.ts';

const HOUR = 3_600_000;
const ALL = facetName.options;

let record: TestRecord;
let prisma: PrismaService;
let pool: pg.Pool;

beforeAll(async () => {
  record = await startTestRecord();
  ({ prisma, pool } = record);
});
beforeEach(() => record.clear());
afterAll(() => record.stop());

const write = (turns: readonly TurnRecord[]) => record.write(turns);
const now = new Date();
const day: TurnFilter = { from: new Date(now.getTime() - 24 * HOUR), to: new Date(now.getTime() + HOUR) };
const at = (agoMs: number) => new Date(now.getTime() - agoMs);

/** The values of a facet with their counts, the most frequent first. */
const valuesOf = ({ facets }: FacetCounts, name: FacetName) =>
  facets.find((facet) => facet.name === name)?.values.map(({ value, count }) => [value, count]);

describe('facets', () => {
  it('count turns by each value; a selection filters every facet but its own', async () => {
    await write([
      failedTurn({ at: at(1_000), client: 'kilo' }),
      failedTurn({ at: at(2_000), client: 'cline', modelId: 'model_2' }),
      testTurn({ at: at(3_000), client: 'cline', strategyUsed: 'prompt', keyId: 'key_2' }),
      testTurn({ at: at(4_000), client: 'cline', modelId: null, model: 'nobody', outcome: null, strategyUsed: null }),
      testTurn({ at: at(30 * HOUR), client: 'codex' }),
    ]);
    const all = await facetsOf(prisma, day, ALL);
    expect(all).toMatchObject({ total: 4, newest: null });
    expect(valuesOf(all, 'outcome')).toEqual([
      ['failed', 2],
      ['clean', 1],
    ]);
    expect(valuesOf(all, 'class')).toEqual([['InvalidJson', 2]]);
    expect(valuesOf(all, 'model')).toEqual([
      ['model_1', 2],
      ['model_2', 1],
      ['nobody', 1],
    ]);
    expect(valuesOf(all, 'strategy')).toEqual([
      ['native', 2],
      ['prompt', 1],
    ]);
    expect(valuesOf(all, 'client')).toEqual([
      ['cline', 3],
      ['kilo', 1],
    ]);
    const failed = await facetsOf(prisma, { ...day, outcome: 'failed', client: 'kilo' }, ALL);
    expect(failed.total).toBe(1);
    expect(valuesOf(failed, 'outcome')).toEqual([['failed', 1]]);
    expect(valuesOf(failed, 'client')).toEqual([
      ['cline', 1],
      ['kilo', 1],
    ]);
    expect(valuesOf(failed, 'model')).toEqual([['model_1', 1]]);
    const named = await facetsOf(prisma, { ...day, model: 'nobody' }, ALL);
    expect(named.total).toBe(1);
    expect(valuesOf(named, 'model')).toHaveLength(3);
    expect(valuesOf(named, 'client')).toEqual([['cline', 1]]);
  });

  it('agree with the list, whatever is selected', async () => {
    const pick = <T>(n: number, ...of: readonly T[]): T => of[n % of.length]!;
    await write(
      Array.from({ length: 120 }, (_, n) => {
        const outcome = pick(n, 'clean', 'repaired', 'failed', 'none', null);
        return testTurn({
          at: at(n * 1_000),
          outcome,
          classes: outcome === 'failed' ? ['InvalidJson', 'Truncated'] : outcome === 'repaired' ? ['BadFraming'] : [],
          errorCode: outcome === null ? pick(n, 'upstream_timeout', 'invalid_request') : null,
          status: outcome === null ? pick(n, 504, 400) : 200,
          modelId: pick(n, 'model_1', 'model_2', 'model_3'),
          client: pick(n, 'cline', 'other'),
          keyId: pick(n, 'key_1', 'key_2', 'key_3', 'key_4'),
          engineVersion: pick(n, '0.11.0', '0.12.1', null),
          streamed: n % 4 > 0,
          requestId: `req_${n % 60}`,
          conversation: pick(n, 'talk_1', 'talk_2', null),
          body:
            n % 3 === 0
              ? null
              : {
                  clientRequest: JSON.stringify({ input: `Look at src/${pick(n, 'app', 'main')}.ts` }),
                  upstreamRequest: null,
                  raw: [{ choice: 0, text: 'done', reasoning: '', cuts: [], fragments: [] }],
                  delivered: [{ text: 'done', calls: [{ name: 'a', arguments: pick(n, '{"at":{"line":1}}', '{}') }] }],
                  notes: [],
                  settings: {},
                },
          calls: [
            testCall({
              outcome: outcome === 'none' ? 'clean' : (outcome ?? 'clean'),
              tool: pick(n, 'a', 'b'),
              rules: outcome === 'repaired' ? pick(n, ['add-closers'], ['leaked-call', 'add-closers']) : [],
            }),
            testCall({ n: 1, tool: pick(n, 'c', 'a', 'a') }),
          ],
        });
      }),
    );
    const filters: Partial<TurnFilter>[] = [
      {},
      { outcome: 'failed' },
      { outcome: 'error' },
      { class: 'Truncated', modelId: 'model_1' },
      { failures: true, keyId: 'key_2' },
      { tool: 'a', client: 'cline' },
      { tool: 'a', failures: true },
      { rule: 'add-closers' },
      { rule: 'leaked-call', tool: 'b', client: 'other' },
      { status: '504' },
      { errorCode: 'invalid_request', outcome: 'error', failures: true },
      { engineVersion: '0.12.1', streamed: 'false' },
      { requestId: 'req_7' },
      { text: 'src/app' },
      { text: '"src main" done', client: 'other' },
      { text: 'ts', tool: 'b', failures: true },
      { argument: 'at.line', outcome: 'failed' },
      { argument: 'at.line', text: 'app', rule: 'add-closers' },
      { requestId: 'req_7', tool: 'b', keyId: 'key_4' },
      { conversation: 'talk_2', outcome: 'failed', streamed: 'true' },
    ];
    for (const given of filters) {
      const counts = await facetsOf(prisma, { ...day, ...given }, ALL);
      const listed = async (more: Partial<TurnFilter>) =>
        (await listTurns(prisma, { ...day, ...given, ...more }, { before: undefined, limit: 200 })).length;
      expect(counts.total).toBe(await listed({}));
      expect(counts.total).toBeGreaterThan(0);
      for (const [name, field] of [
        ['outcome', 'outcome'],
        ['class', 'class'],
        ['model', 'modelId'],
        ['client', 'client'],
        ['key', 'keyId'],
        ['status', 'status'],
        ['code', 'errorCode'],
        ['tool', 'tool'],
        ['rule', 'rule'],
        ['engine', 'engineVersion'],
        ['streamed', 'streamed'],
      ] as const)
        for (const [value, count] of valuesOf(counts, name) ?? [])
          expect(count, `${JSON.stringify(given)}, ${name} ${value}`).toBe(await listed({ [field]: value }));
    }
  });

  it('security 29: a filter of a facet that was not requested still applies', async () => {
    await write([testTurn({ at: at(1_000) }), testTurn({ at: at(2_000), teamId: 'team_2', client: 'secret' })]);
    const names = ALL.filter((name) => name !== 'team');
    for (const more of [{}, { client: 'cline' }, { client: 'secret' }, { tool: 'read_file' }]) {
      const own = await facetsOf(prisma, { ...day, teamId: 'team_1', ...more }, names);
      expect(own.facets.map(({ name }) => name)).not.toContain('team');
      expect(own.total).toBeLessThanOrEqual(1);
      for (const { values } of own.facets) for (const { count } of values) expect(count).toBeLessThanOrEqual(1);
    }
    const lifted = await facetsOf(prisma, { ...day, teamId: 'team_1' }, ALL);
    expect(valuesOf(lifted, 'team')).toHaveLength(2);
  });

  it('count only the newest turns, say so, and keep selected values visible', async () => {
    await write([
      ...Array.from({ length: 5 }, (_, n) => testTurn({ at: at(n * 1_000) })),
      ...Array.from({ length: 3 }, (_, n) => testTurn({ at: at(HOUR + n), modelId: 'model_old', client: 'kilo' })),
    ]);
    const counts = await facetsOf(prisma, { ...day, modelId: 'model_old' }, ALL, 4);
    expect(counts).toMatchObject({ total: 3, newest: 4 });
    expect(valuesOf(counts, 'model')).toEqual([
      ['model_1', 4],
      ['model_old', 3],
    ]);
    expect(valuesOf(counts, 'client')).toEqual([['kilo', 3]]);
    expect((await facetsOf(prisma, day, ALL, 8)).newest).toBe(8);
    expect((await facetsOf(prisma, day, ALL, 9)).newest).toBeNull();
  });

  it('show names if there are any, and the 50 most frequent values', async () => {
    await pool.query(`INSERT INTO team (id, name) VALUES ('team_n', 'Night shift')`);
    await pool.query(
      `INSERT INTO api_key (id, team_id, holder, hash, hint) VALUES ('key_n', 'team_n', 'Ann', 'h', 's')`,
    );
    await write([
      ...Array.from({ length: 53 }, (_, n) => testTurn({ at: at(1_000), keyId: `key_${n}` })),
      testTurn({ at: at(2_000), teamId: 'team_n', keyId: 'key_n' }),
      testTurn({ at: at(2_001), teamId: 'team_n', keyId: 'key_n' }),
    ]);
    const counts = await facetsOf(prisma, day, ALL);
    const key = counts.facets.find(({ name }) => name === 'key');
    expect(key?.values[0]).toEqual({ value: 'key_n', name: 'Ann', count: 2 });
    expect(key?.values).toHaveLength(50);
    expect(key?.more).toBe(4);
    expect(counts.facets.find(({ name }) => name === 'team')?.values[1]).toMatchObject({ name: 'Night shift' });
  });
});
