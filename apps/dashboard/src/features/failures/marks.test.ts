import { expect, test } from 'vitest';
import { byText, byteRange, nativeCalls, pieces, sayMark } from './marks.ts';

const finding = (start: number, end: number, rule: string) => ({ stage: 'settle', rule, range: [start, end] as const });

test('a text is cut at the ranges of findings, overlapping ones too, and nothing is lost', () => {
  const text = '{"a": 1,}';
  const cut = pieces(text, [finding(5, 8, 'trailing-comma'), finding(7, 9, 'close-brackets')]);
  expect(cut.map((piece) => [piece.text, piece.marks.map((mark) => mark.rule)])).toEqual([
    ['{"a":', []],
    [' 1', ['trailing-comma']],
    [',', ['trailing-comma', 'close-brackets']],
    ['}', ['close-brackets']],
  ]);
  expect(cut.map((piece) => piece.text).join('')).toBe(text);
});

test('ranges outside the text or empty mark nothing and break nothing', () => {
  expect(pieces('abc', [finding(5, 9, 'x'), finding(2, 2, 'y'), finding(-4, 1, 'z')])).toEqual([
    { text: 'a', marks: [finding(-4, 1, 'z')] },
    { text: 'bc', marks: [] },
  ]);
  expect(pieces('', [finding(0, 4, 'x')])).toEqual([]);
});

test('offsets are said in UTF-8 bytes', () => {
  expect(byteRange('né🙂x', [2, 4])).toEqual([3, 7]);
  expect(sayMark(finding(1, 3, 'close-brackets'), 'a{}b')).toBe('close-brackets, bytes 1 to 3');
  expect(sayMark({ stage: 'read', class: 'LeakedCall' }, '')).toBe('LeakedCall');
});

test('findings go to the text that they are about, where calls came as text and natively', () => {
  const leak = { stage: 'read', class: 'LeakedCall', action: 'rescued', call: 0, range: [4, 9] } as const;
  const inLeak = { ...finding(5, 6, 'drop-commas'), call: 0 };
  const inNative = { ...finding(0, 3, 'quote-keys'), call: 1 };
  const dropped = { stage: 'settle', class: 'UnknownName', action: 'dropped', call: 2, range: [10, 20] } as const;
  const inLast = { ...finding(1, 2, 'add-closers'), call: 3 };
  const ofAll = { stage: 'read', detail: 'lone-reasoning-close' };
  expect(byText([leak, inLeak, inNative, dropped, inLast, ofAll], 2)).toEqual({
    text: [leak, inLeak, dropped, ofAll],
    calls: [[inNative], [inLast]],
  });
  expect(byText([inNative], 0)).toEqual({ text: [inNative], calls: [] });
});

test('native fragments are joined by index, and by name where an upstream sends none', () => {
  expect(
    nativeCalls([
      { index: 0, id: 'a', name: 'read', arguments: '{"p":' },
      { index: 1, id: 'b', name: 'write', arguments: '' },
      { index: 0, arguments: '1}' },
      { index: 1, arguments: '{}' },
    ]),
  ).toEqual([
    { name: 'read', text: '{"p":1}' },
    { name: 'write', text: '{}' },
  ]);
  expect(nativeCalls([{ name: 'a', arguments: '{' }, { arguments: '}' }, { name: 'b', arguments: { n: 1 } }])).toEqual([
    { name: 'a', text: '{}' },
    { name: 'b', text: '{"n":1}' },
  ]);
  expect(nativeCalls([null, 7])).toEqual([]);
});
