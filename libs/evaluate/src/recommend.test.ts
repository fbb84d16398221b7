import { describe, expect, it } from 'vitest';
import { type ArmRow, armResult } from './arm-result.ts';
import { recommend } from './recommend.ts';

const row = (at: number, more: Partial<ArmRow> = {}): ArmRow => ({
  key: `1.${at}`,
  case: at,
  wanted: true,
  right: true,
  calls: 1,
  valid: true,
  clean: true,
  refused: false,
  inputTokens: 100,
  outputTokens: 20,
  firstTokenMs: 50,
  ...more,
});
const rows = (n: number, wrong: readonly number[] = [], more: Partial<ArmRow> = {}): ArmRow[] =>
  Array.from({ length: n }, (_, at) => row(at, { ...more, ...(wrong.includes(at) && { right: false }) }));
const wrong = (n: number): number[] => Array.from({ length: n }, (_, at) => at);

describe('a recommendation', () => {
  it('is absent if nothing differs, or too little to be sure', () => {
    const native = { name: 'native', rows: rows(20, wrong(5)) };
    expect(recommend([native, { name: 'prompt', rows: rows(20) }], 0, 'quick')).toEqual({
      arm: null,
      sentence:
        'Stay with native: native was right in 15 of 20 (53–89 %), and nothing was clearly better: prompt was better, but that may be chance; more requests can tell.',
    });
  });

  it('is the arm that the paired test significantly favors, with its evidence', () => {
    const arms = [
      { name: 'native', rows: rows(20, wrong(8)) },
      { name: 'prompt with hermes', rows: rows(20) },
    ];
    expect(recommend(arms, 0, 'quick')).toEqual({
      arm: 1,
      sentence:
        'Change to prompt with hermes: right in 20 of 20 (84–100 %), against 12 of 20 (39–78 %) with native; of the requests that differ, 8 favor it and 0 do not (p = 0.008).',
    });
    expect(recommend(arms, 1, 'quick').arm).toBeNull();
  });

  it('requires more evidence the more arms were compared', () => {
    const native = { name: 'native', rows: rows(20, wrong(6)) };
    const prompt = { name: 'prompt', rows: rows(20) };
    expect(recommend([native, prompt], 0, 'quick').arm).toBe(1);
    const same = { name: 'same', rows: rows(20, wrong(6)) };
    expect(recommend([native, prompt, same], 0, 'quick').arm).toBeNull();
  });

  it('requires twice as much of a full probe, which is tested twice if it asks more', () => {
    const native = { name: 'native', rows: rows(100, wrong(6)) };
    const prompt = { name: 'prompt', rows: rows(100) };
    expect(recommend([native, prompt], 0, 'quick').arm).toBe(1);
    expect(recommend([native, prompt], 0, 'full').arm).toBeNull();
    const worse = { name: 'native', rows: rows(100, wrong(7)) };
    expect(recommend([worse, prompt], 0, 'full').sentence).toContain('7 favor it and 0 do not (p = 0.031)');
  });

  it('is the cheapest of equal arms, and of others the one that is right most often', () => {
    const native = { name: 'native', rows: rows(40, wrong(20)) };
    const dear = { name: 'dear', rows: rows(40, [], { inputTokens: 900 }) };
    const cheap = { name: 'cheap', rows: rows(40, [], { inputTokens: 200 }) };
    const worse = { name: 'worse', rows: rows(40, wrong(4), { inputTokens: 10 }) };
    expect(recommend([native, dear, cheap, worse], 0, 'quick').arm).toBe(2);
  });

  it('is the arm that needs fewer repairs, if clients get the same', () => {
    const native = { name: 'native', rows: rows(20).map((one, at) => (at < 9 ? { ...one, clean: false } : one)) };
    const { arm, sentence } = recommend([native, { name: 'prompt', rows: rows(20) }], 0, 'quick');
    expect(arm).toBe(1);
    expect(sentence).toContain('right without repair or a second try in 20 of 20');
    // What clients get takes precedence.
    expect(recommend([native, { name: 'prompt', rows: rows(20, [19]) }], 0, 'quick').arm).toBeNull();
  });

  it('compares only requests that both arms got', () => {
    const native = { name: 'native', rows: rows(5, wrong(5)) };
    expect(recommend([native, { name: 'prompt', rows: rows(100) }], 0, 'quick').arm).toBeNull();
    expect(
      recommend(
        [
          { name: 'native', rows: [] },
          { name: 'prompt', rows: rows(9) },
        ],
        0,
        'quick',
      ),
    ).toEqual({
      arm: null,
      sentence: 'Nothing was measured.',
    });
  });
});

describe('the result of an arm', () => {
  it('has trigger F1 and schema accuracy as K2-Vendor-Verifier counts them', () => {
    const result = armResult([
      row(1),
      row(2, { valid: false, right: false }),
      row(3, { calls: 0, right: false }),
      row(4, { wanted: false, right: false }),
      row(5, { wanted: false, calls: 0 }),
    ]);
    // two hits, one missed, one too many: 2·2 / (2·2 + 1 + 1)
    expect(result.triggerF1).toBeCloseTo(4 / 6, 10);
    expect(result.schemaAccuracy).toMatchObject({ value: 2 / 3, n: 3 });
    expect(result.right).toMatchObject({ value: 2 / 5, n: 5 });
  });

  it('counts refused requests as wrong, but not in F1, schemas and cost', () => {
    const refused = row(2, { refused: true, right: false, calls: 0, inputTokens: null, firstTokenMs: null });
    const result = armResult([row(1), refused]);
    expect(result).toMatchObject({ refused: 1, triggerF1: 1, inputTokens: 100, firstTokenMs: 50 });
    expect(result.right).toMatchObject({ value: 0.5, n: 2 });
    expect(armResult([refused])).toMatchObject({ triggerF1: null, schemaAccuracy: null, inputTokens: null });
  });

  it('counts as unaided only what nothing had to be done about', () => {
    expect(armResult([row(1), row(2, { clean: false })])).toMatchObject({ right: { value: 1 }, clean: { value: 0.5 } });
  });
});
