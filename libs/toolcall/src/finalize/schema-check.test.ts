import { steadyCost } from '@callsmith/testing';
import type { JsonObject, JsonValue } from '@callsmith/turn';
import { describe, expect, it } from 'vitest';
import { fitArguments } from './fit-arguments.ts';
import { validateArguments } from './validate-arguments.ts';

const listOf = (items: JsonValue, $defs: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties: { a: { type: 'array', items } },
  $defs,
});
const keys = (count: number): string[] => Array.from({ length: count }, (_, at) => `key${at}`);
const ones = (names: readonly string[], last: JsonValue = 1): JsonObject =>
  Object.fromEntries(names.map((name, at) => [name, at === names.length - 1 ? last : 1]));
/** `{a: {$ref}}`, each definition of which refers twice to the next. */
const doubling = (depth: number, keyword: string): JsonObject => ({
  type: 'object',
  properties: { a: { $ref: '#/$defs/d0' } },
  $defs: Object.fromEntries(
    Array.from({ length: depth }, (_, at) => [
      `d${at}`,
      { [keyword]: [{ $ref: `#/$defs/d${at + 1}` }, { $ref: `#/$defs/d${at + 1}` }] },
    ]),
  ),
});

describe('security 15: whatever a schema holds, checking and fitting arguments to it takes a moment', () => {
  const many = { a: Array(20_000).fill(1) };
  const thousand = keys(1000);
  it.each<[string, JsonObject, JsonObject]>([
    ['a reference of a megabyte', listOf({ $ref: `#/$defs${'/a'.repeat(500_000)}` }), many],
    ['a reference to one name of a megabyte', listOf({ $ref: `#/${'a'.repeat(1_000_000)}` }), many],
    ['a reference of escapes', listOf({ $ref: `#/${'%41~1'.repeat(200_000)}` }), many],
    ['a type of a megabyte', listOf({ type: 'A'.repeat(1_000_000) }), many],
    ['a list of types', listOf({ type: Array(90_000).fill('integer') }), many],
    [
      'a long list of required names, asked for again and again',
      listOf(
        { allOf: Array(1000).fill({ $ref: '#/$defs/r' }) },
        { r: { required: keys(20_000), properties: { none: {} } } },
      ),
      { a: Array(20).fill(ones(keys(20_000))) },
    ],
    [
      'an enum of large objects that differ at their end',
      listOf({ enum: Array.from({ length: 90 }, (_, at) => ones(thousand, at + 2)) }),
      { a: Array(300).fill(ones(thousand)) },
    ],
    [
      'an enum of large lists that differ at their end',
      listOf({ enum: Array.from({ length: 90 }, (_, at) => [...Array(1000).fill(1), at]) }),
      { a: Array(1000).fill([...Array(1000).fill(1), -1]) },
    ],
    [
      'null for thousands of required members that may not be null',
      { type: 'object', required: keys(40_000), additionalProperties: { type: 'string' } },
      Object.fromEntries(keys(40_000).map((key) => [key, null])),
    ],
    [
      'thousands of values that no branch takes',
      {
        type: 'object',
        anyOf: [1, 2].map((at) => ({
          properties: { b: { const: at } },
          required: ['b'],
          additionalProperties: { type: 'integer' },
        })),
      },
      Object.fromEntries(keys(20_000).map((key) => [key, '7'])),
    ],
    ['a reference to itself', listOf({ $ref: '#/$defs/a' }, { a: { allOf: [{ $ref: '#/$defs/a' }] } }), many],
    ['references that double, allOf', doubling(60, 'allOf'), { a: 1 }],
    ['references that double, anyOf', doubling(60, 'anyOf'), { a: { b: 1 } }],
    ['references that double, oneOf', doubling(60, 'oneOf'), { a: [[1]] }],
    [
      'a pattern that backtracks',
      listOf({ type: 'string', pattern: '^(a+)+$' }),
      { a: Array(500).fill(`${'a'.repeat(5000)}!`) },
    ],
  ])('%s', (_, schema, value) => {
    const json = JSON.stringify(value);
    const checked = steadyCost(() => void validateArguments(json, schema), 250);
    const fitted = steadyCost(() => fitArguments(json, schema, () => {}), 400);
    expect(checked).toBeLessThan(250);
    expect(fitted).toBeLessThan(400);
  });

  it('the same value is one of the allowed ones, whatever the order of its keys', () => {
    const schema = listOf({ enum: [{ x: 1, y: [1, { z: 2 }] }] });
    const verdict = (value: JsonValue) => validateArguments(JSON.stringify({ a: [value] }), schema);
    expect(verdict({ y: [1, { z: 2 }], x: 1 })).toBe('valid');
    for (const other of [{ x: 1, y: [1, { z: 3 }] }, { x: 1 }, { x: 1, y: [1] }, { x: 1, y: { 0: 1 } }])
      expect(verdict(other)).toMatchObject({ keyword: 'enum' });
  });
});
