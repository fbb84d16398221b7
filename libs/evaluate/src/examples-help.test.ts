import { expect, it } from 'vitest';
import type { ArmRow } from './arm-result.ts';
import { examplesHelp } from './examples-help.ts';

/** A row for each character: `+` right unaided, `~` right with a repair, `-` wrong. */
const rows = (signs: string): ArmRow[] =>
  [...signs].map((sign, at) => ({
    key: String(at),
    case: 1,
    wanted: true,
    right: sign !== '-',
    calls: 1,
    valid: sign !== '-',
    clean: sign === '+',
    refused: false,
    inputTokens: null,
    outputTokens: null,
    firstTokenMs: null,
  }));

it('examples help if significantly more calls are right', () => {
  expect(examplesHelp(rows('+'.repeat(40)), rows('-'.repeat(12) + '+'.repeat(28)))).toBe(
    'with example calls 100 % right (100 % by itself) of 40, without 70 % right (70 % by itself) of 40',
  );
});

it('examples help if as many calls are right with fewer repairs', () => {
  expect(examplesHelp(rows('+'.repeat(40)), rows('~'.repeat(12) + '+'.repeat(28)))).toMatch(/^with example calls/);
});

it('examples do not help if it may be chance, if nothing changes, or if anything gets worse', () => {
  expect(examplesHelp(rows('+'.repeat(40)), rows(`---${'+'.repeat(37)}`))).toBeUndefined();
  expect(examplesHelp(rows('+'.repeat(40)), rows('+'.repeat(40)))).toBeUndefined();
  // Fewer repairs, but fewer right answers too.
  expect(examplesHelp(rows(`--${'+'.repeat(38)}`), rows('~'.repeat(20) + '+'.repeat(20)))).toBeUndefined();
  expect(examplesHelp([], [])).toBeUndefined();
});
