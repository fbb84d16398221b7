import { expect, test } from 'vitest';
import {
  broadFindings,
  byteOffsets,
  type Finding,
  findingsByText,
  markedPieces,
  markText,
  nativeCalls,
} from './marks.ts';

const finding = (start: number, end: number, rule: string) => ({
  stage: 'finalize',
  rule,
  range: [start, end] as const,
});

test('a text is cut at the ranges of findings, overlapping ones too, and nothing is lost', () => {
  const text = '{"a": 1,}';
  const cut = markedPieces(text, [finding(5, 8, 'trailing-comma'), finding(7, 9, 'close-brackets')]);
  expect(cut.map((piece) => [piece.text, piece.marks.map((mark) => mark.rule)])).toEqual([
    ['{"a":', []],
    [' 1', ['trailing-comma']],
    [',', ['trailing-comma', 'close-brackets']],
    ['}', ['close-brackets']],
  ]);
  expect(cut.map((piece) => piece.text).join('')).toBe(text);
});

test('ranges outside the text mark nothing and break nothing', () => {
  expect(markedPieces('abc', [finding(5, 9, 'x'), finding(7, 7, 'y'), finding(-4, 1, 'z')])).toEqual([
    { text: 'a', marks: [finding(-4, 1, 'z')] },
    { text: 'bc', marks: [] },
  ]);
  expect(markedPieces('', [finding(0, 4, 'x')])).toEqual([]);
});

test('where something was missing is a piece without text, inside of what is marked round it', () => {
  const [inside, behind, round] = [finding(2, 2, 'add-commas'), finding(3, 3, 'close-wrapper'), finding(1, 3, 'x')];
  expect(markedPieces('abc', [inside, behind, round])).toEqual([
    { text: 'a', marks: [] },
    { text: 'b', marks: [round] },
    { text: '', marks: [inside] },
    { text: 'c', marks: [round] },
    { text: '', marks: [behind] },
  ]);
  expect(markedPieces('', [finding(0, 0, 'x')])).toEqual([{ text: '', marks: [finding(0, 0, 'x')] }]);
});

test('what others lie in, and what is about a whole call, is marked quietly', () => {
  const leak = { stage: 'parse', class: 'LeakedCall', range: [0, 20] } as const;
  const [retyped, comma, alone] = [finding(0, 20, 'retype-scalar'), finding(4, 5, 'drop-commas'), finding(30, 40, 'x')];
  expect(broadFindings([leak, retyped, comma, alone])).toEqual(new Set([leak, retyped]));
  expect(broadFindings([retyped, finding(0, 20, 'fold-name')])).toEqual(new Set());
  expect(broadFindings([retyped, comma])).toEqual(new Set([retyped]));
});

test('offsets are in UTF-8 bytes', () => {
  const shown = (one: Finding, text: string) => markText(one, byteOffsets(text, [finding(0, 1, 'x'), one]));
  expect([...byteOffsets('né🙂x', [finding(2, 4, 'x'), finding(4, 9, 'y')])]).toEqual([
    [2, 3],
    [4, 7],
    [9, 8],
  ]);
  expect(shown(finding(1, 3, 'close-brackets'), 'a{}b')).toBe('close-brackets, bytes 1 to 3');
  expect(shown(finding(1, 2, 'drop-commas'), 'é,')).toBe('drop-commas, byte 2');
  expect(shown(finding(1, 1, 'add-closers'), 'éb')).toBe('add-closers, at byte 2');
  expect(shown({ class: 'LeakedCall' }, '')).toBe('LeakedCall');
});

test('findings go to the text that they are about, where calls came as text and natively', () => {
  const leak = { stage: 'parse', class: 'LeakedCall', action: 'rescued', call: 0, range: [4, 9] } as const;
  const inLeak = { ...finding(5, 6, 'drop-commas'), call: 0 };
  const inNative = { ...finding(0, 3, 'quote-keys'), call: 1 };
  const dropped = { stage: 'finalize', class: 'UnknownName', action: 'dropped', call: 2, range: [10, 20] } as const;
  const inLast = { ...finding(1, 2, 'add-closers'), call: 3 };
  const ofAll = { stage: 'parse', detail: 'lone-reasoning-close' };
  expect(findingsByText([leak, inLeak, inNative, dropped, inLast, ofAll], 2)).toEqual({
    text: [leak, inLeak, dropped, ofAll],
    calls: [[inNative], [inLast]],
  });
  expect(findingsByText([inNative], 0)).toEqual({ text: [inNative], calls: [] });
  const parted = { stage: 'finalize', rule: 'split-calls', call: 1 };
  const inNext = { ...finding(2, 3, 'quote-keys'), call: 2 };
  expect(findingsByText([inNative, parted, inNext], 2)).toEqual({ text: [], calls: [[], [inNext]] });
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
