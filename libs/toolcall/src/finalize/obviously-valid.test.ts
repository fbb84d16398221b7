import type { JsonObject } from '@callsmith/turn';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fitArguments } from './fit-arguments.ts';
import { isObviouslyValid } from './obviously-valid.ts';
import { validateArguments } from './validate-arguments.ts';

const key = fc.constantFrom('path', 'count', 'all', 'mode', '__proto__', 'constructor');
const value = fc.oneof(
  fc.string({ maxLength: 5 }),
  fc.constantFrom('1', 'true', 'null', '{}', 'a', '1.0'),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.boolean(),
  fc.constantFrom(null, [], {}, ['a'], { a: 1 }),
);
const property = fc.oneof(
  fc.constantFrom('string', 'number', 'integer', 'boolean', 'object', 'array', 'null', 'str').map((type) => ({ type })),
  fc.constantFrom<JsonObject>(
    { type: ['string', 'null'] },
    { type: 'string', enum: ['a', 'b'] },
    { anyOf: [{ type: 'string' }, { type: 'number' }] },
    { type: 'string', anyOf: [{ type: 'boolean' }] },
    { type: 'number', nullable: true },
    { $ref: '#' },
    {},
  ),
);
const schema = fc
  .record({
    properties: fc.dictionary(key, property),
    required: fc.option(fc.array(key, { maxLength: 3 }), { nil: undefined }),
    additionalProperties: fc.option(fc.boolean(), { nil: undefined }),
  })
  .map((some): JsonObject => JSON.parse(JSON.stringify({ type: 'object', ...some })) as JsonObject);

it('says yes only where nothing is to be fitted and nothing to be remarked', () => {
  let yes = 0;
  fc.assert(
    fc.property(schema, fc.dictionary(key, value), fc.constantFrom(0, 1), (of, object, indent) => {
      const json = JSON.stringify(object, null, indent);
      if (!isObviouslyValid(JSON.parse(json), of)) return;
      yes += 1;
      expect(fitArguments(json, of, () => expect.unreachable())).toBe(json);
      expect(validateArguments(json, of)).toBe('valid');
    }),
    { numRuns: 20_000 },
  );
  expect(yes).toBeGreaterThan(500);
});

it('says yes to a usual call', () => {
  const of = {
    type: 'object',
    properties: { path: { type: 'string' }, line: { type: 'integer' }, all: { type: 'boolean' } },
    required: ['path'],
  };
  expect(isObviouslyValid({ path: 'a', line: 1, all: false }, of)).toBe(true);
  expect(isObviouslyValid({ path: 'a', line: 1.5 }, of)).toBe(false);
  expect(isObviouslyValid({ line: 1 }, of)).toBe(false);
  expect(isObviouslyValid({ path: 'a', other: 1 }, of)).toBe(false);
});
