import { expect, it } from 'vitest';
import { csvRows } from './csv.ts';

it('quoted fields contain commas, quotes and line breaks', () => {
  expect(csvRows('id,text,end\r\n1,"a ""b"", c\nd",x\n2,,\n')).toEqual([
    { id: '1', text: 'a "b", c\nd', end: 'x' },
    { id: '2', text: '', end: '' },
  ]);
});
