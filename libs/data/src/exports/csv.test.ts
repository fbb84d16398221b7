import { expect, it } from 'vitest';
import { csvRow } from './csv.ts';

it('security 18: cells that begin like a formula are escaped', () => {
  for (const sign of ['=', '+', '-', '@', '\t=', '\r@', '＝', '＋', '－', '＠'])
    expect(csvRow([`${sign}cmd|' /C calc'!A0`])).toMatch(/^"?'/);
  expect(csvRow([-3, '-3', 'a-b'])).toBe("-3,'-3,a-b\r\n");
});

it('quotes only if needed', () => {
  expect(csvRow(['a,b', 'say "x"', 'two\nlines', null, true])).toBe('"a,b","say ""x""","two\nlines",,true\r\n');
});
