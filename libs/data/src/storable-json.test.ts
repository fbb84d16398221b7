import { expect, it } from 'vitest';
import { storableJson } from './storable-json.ts';

it('replaces what PostgreSQL does not accept in JSON, in values and names', () => {
  expect(storableJson({ 'a\0': ['\ud83d', '\udc00x', '😀', { b: 'x\0y' }] })).toEqual({
    'a\ufffd': ['\ufffd', '\ufffdx', '😀', { b: 'x\ufffdy' }],
  });
});

it('leaves everything else unchanged, text that looks like an escape too', () => {
  const value = { a: '\\u0000', b: '\\\\ud83d', c: '"\n\u0001\u2028', d: [1, null, true, 1e21] };
  expect(storableJson(value)).toEqual(value);
});
