import { runSync } from '@callsmith/stream';
import { cpuMs } from '@callsmith/testing';
import { fold, type JsonObject, type JsonValue, ToolTable, type UpstreamEvent } from '@callsmith/turn';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCalls } from '../parse-calls.ts';
import { parseText } from '../parse-text.ts';
import { fitArguments } from './fit-arguments.ts';
import { validateArguments } from './validate-arguments.ts';

const runs = Number(process.env.PROPERTY_RUNS ?? 2000);

/** A schema and a value that satisfies it. */
interface Pair {
  readonly schema: JsonObject;
  readonly value: JsonValue;
}

const text = fc.oneof(
  fc.string({ maxLength: 6 }),
  fc.constantFrom('1', '-2.5', 'true', 'null', '[1]', '{"a":1}', '1.0', ' A ', 'C:\\new'),
);
const scalar: fc.Arbitrary<Pair> = fc.oneof(
  text.map((value) => ({ schema: { type: 'string' }, value })),
  fc.integer().map((value) => ({ schema: { type: 'integer' }, value })),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => ({ schema: { type: 'number' }, value })),
  fc.boolean().map((value) => ({ schema: { type: 'boolean' }, value })),
  fc.constant<Pair>({ schema: { type: 'string', nullable: true }, value: null }),
  fc
    .tuple(text, fc.constantFrom<JsonValue>('integer', 'boolean', 'null', 'number', 'array'))
    .map(([value, other]) => ({ schema: { type: [other, 'string'] }, value })),
  fc
    .tuple(fc.constantFrom<JsonValue>('a', 'A', 1, '1', true, 'true', null), fc.boolean())
    .map(([value, alone]) => ({ schema: alone ? { const: value } : { enum: ['b', value, 7] }, value })),
  fc.jsonValue({ maxDepth: 1 }).map((value) => ({ schema: {}, value: value as JsonValue })),
);

const { pair } = fc.letrec<{ pair: Pair; object: Pair }>((tie) => ({
  pair: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'pair' },
    scalar,
    tie('object'),
    fc.array(tie('pair'), { maxLength: 3, depthIdentifier: 'pair' }).map(
      (items): Pair => ({
        schema: {
          type: 'array',
          ...(items.length > 0 && {
            items: items.length === 1 ? (items[0] as Pair).schema : { anyOf: items.map((one) => one.schema) },
          }),
        },
        value: items.map((one) => one.value),
      }),
    ),
    fc
      .tuple(
        fc.constantFrom('anyOf', 'oneOf'),
        fc.array(tie('pair'), { minLength: 1, maxLength: 4, depthIdentifier: 'pair' }),
        fc.nat(),
      )
      .map(
        ([key, branches, which]): Pair => ({
          schema: { [key]: branches.map((one) => one.schema) },
          value: (branches[which % branches.length] as Pair).value,
        }),
      ),
    tie('pair').map((one): Pair => ({ schema: { allOf: [{}, one.schema] }, value: one.value })),
  ),
  object: fc
    .tuple(
      fc.dictionary(fc.constantFrom('op', 'value', 'path', '__proto__', 'items'), tie('pair'), {
        maxKeys: 4,
        depthIdentifier: 'pair',
      }),
      fc.subarray(['op', 'value', 'path']),
      fc.constantFrom<JsonValue | undefined>(undefined, true, false, { type: 'string' }),
    )
    .map(([members, wanted, additional]): Pair => {
      const entries = Object.entries(members);
      return {
        schema: {
          type: 'object',
          properties: Object.fromEntries(entries.map(([key, one]) => [key, one.schema])),
          required: wanted.filter((key) => Object.hasOwn(members, key)),
          ...(additional !== undefined && { additionalProperties: additional }),
        },
        value: Object.fromEntries(entries.map(([key, one]) => [key, one.value])),
      };
    }),
}));

/** A tool's schema, a part of it by reference, and arguments that satisfy it. */
const toolCase = fc
  .tuple(
    fc.dictionary(fc.constantFrom('a', 'b', 'c'), pair, { minKeys: 1, maxKeys: 3 }),
    fc.boolean(),
    fc.constantFrom(0, 1),
  )
  .map(([members, byReference, indent]) => {
    const entries = Object.entries(members);
    const schemas = Object.fromEntries(entries.map(([key, one]) => [key, one.schema]));
    const schema: JsonObject = byReference
      ? {
          type: 'object',
          $defs: schemas,
          properties: Object.fromEntries(entries.map(([key]) => [key, { $ref: `#/$defs/${key}` }])),
        }
      : { type: 'object', properties: schemas, required: entries.map(([key]) => key) };
    return {
      schema,
      json: JSON.stringify(Object.fromEntries(entries.map(([key, one]) => [key, one.value])), null, indent),
    };
  });

describe('D-34 valid arguments are never changed', () => {
  it(`random schemas and values that satisfy them (${runs} runs)`, () => {
    fc.assert(
      fc.property(toolCase, ({ schema, json }) => {
        const { name, tools } = { name: 'f', tools: new ToolTable([{ name: 'f', parameters: schema }]) };
        expect(validateArguments(json, schema)).toBe('valid');
        const common = { dialect: 'hermes', holdBytes: null } as const;
        const events: UpstreamEvent[] = [
          { type: 'call-fragment', choice: 0, index: 0, id: 'x', name, arguments: json },
          { type: 'turn-end', choice: 0, reason: 'tool_calls' },
        ];
        const native = runSync(
          parseCalls({ ...common, tools, strategyUsed: 'native', toolChoice: 'auto', parallel: true }),
          events,
        );
        expect(fold(native.out).choices[0]).toMatchObject({ calls: [{ arguments: json }], notes: [] });
        const written = `<tool_call>\n{"name": "f", "arguments": ${json}}\n</tool_call>`;
        const read = parseText({ ...common, tools, text: written, chunk: 'whole', finishReason: 'stop' });
        expect(read.toolCalls).toEqual([{ name, arguments: json }]);
        expect(read.notes).toEqual([]);
      }),
      { numRuns: runs },
    );
  }, 120_000);

  const text = { op: { const: 'text' }, value: { type: 'string' } };
  const count = { op: { const: 'n' }, value: { type: 'number' } };
  const operations: JsonObject = {
    type: 'object',
    properties: { list: { items: { anyOf: [{ properties: text }, { properties: count }] } } },
  };
  const fitted = (json: string, schema: JsonObject): [string, readonly string[]] => {
    const rules: string[] = [];
    return [fitArguments(json, schema, (rule) => rules.push(rule)), rules];
  };
  const property = (schema: JsonValue): JsonObject => ({ type: 'object', properties: { x: schema } });

  it('the branch is chosen by its const members', () => {
    expect(fitted('{"list":[{"op":"n","value":3},{"op":"text","value":"3"}]}', operations)[1]).toEqual([]);
    expect(fitted('{"list":[{"op":"n","value":"3"},{"op":"text","value":3}]}', operations)).toEqual([
      '{"list":[{"op":"n","value":3},{"op":"text","value":"3"}]}',
      ['retype-scalar', 'retype-scalar'],
    ]);
  });

  it('a list that one of several branches accepts stays', () => {
    const lists = property({
      anyOf: [
        { type: 'array', items: { type: 'string' } },
        { type: 'array', items: { type: 'number' } },
      ],
    });
    expect(fitted('{"x":[1,2]}', lists)).toEqual(['{"x":[1,2]}', []]);
  });

  it('a pattern that is not enforced accepts nothing alone', () => {
    const patterned = property({ anyOf: [{ type: 'string', pattern: '^[a-z]+$' }, { type: 'integer' }] });
    expect(fitted('{"x":"5"}', patterned)).toEqual(['{"x":5}', ['retype-scalar']]);
    expect(fitted('{"x":"five"}', patterned)).toEqual(['{"x":"five"}', []]);
    expect(fitted('{"x":"5"}', property({ anyOf: [{ type: 'string' }, { type: 'integer' }] }))[1]).toEqual([]);
  });

  it('null for an optional parameter that may not be null is left out', () => {
    const schema: JsonObject = {
      type: 'object',
      properties: {
        a: { type: 'string' },
        b: { type: 'integer' },
        c: { type: 'string', nullable: true },
        d: { type: 'string' },
      },
      required: ['d'],
    };
    expect(fitted('{"a": null, "b": null, "c": null, "d": null}', schema)[0]).toBe('{"c": null, "d": null}');
    expect(fitted('{"d": "x", "a": null, "b": null}', schema)).toEqual(['{"d": "x"}', ['drop-null']]);
    expect(fitted('{ "a": null }', schema)[0]).toBe('{  }');
  });

  it("an object where a string belongs becomes its text, as a JSON file's content does", () => {
    const schema = property({ type: 'string' });
    expect(fitted('{"x": {"a": 1e2}}', schema)).toEqual(['{"x": "{\\"a\\": 1e2}"}', ['value-as-text']]);
    expect(fitted('{"x": [1]}', schema)[1]).toEqual([]);
  });

  it('a list in a string is read, and its elements are fitted too', () => {
    const schema = property({ type: 'array', items: { type: 'object', properties: { id: { type: 'string' } } } });
    expect(fitted('{"x": "[{\\"id\\": 1}]"}', schema)[0]).toBe('{"x": [{"id": "1"}]}');
  });
});

describe('D-34 what a delivered call misses is noted', () => {
  const schema: JsonObject = {
    type: 'object',
    properties: { todos: { type: 'array', items: { properties: { status: { enum: ['open', 'done'] } } } } },
    required: ['todos'],
    additionalProperties: false,
  };
  it.each([
    ['{"todos":[{"status":"later"}]}', 'arguments.todos[0].status: enum'],
    ['{"todos":7}', 'arguments.todos: type'],
    ['{}', 'arguments.todos: required'],
    ['{"todos":[],"x":1}', 'arguments.x: additionalProperties'],
  ])('%s', (json, where) => {
    const verdict = validateArguments(json, schema);
    expect(typeof verdict === 'object' && `${verdict.path}: ${verdict.keyword}`).toBe(where);
  });

  it.each([
    ['a/b', '#/$defs/a~1b'],
    ['a/b', '#/$defs/a%7E1b'],
    ['a~1b', '#/$defs/a~01b'],
    ['a b', '#/$defs/a%20b'],
    ['100%', '#/$defs/100%'],
  ])('the definition %j is found by the reference %j', (name, $ref) => {
    const schema = { $defs: { [name]: { type: 'string' } }, properties: { a: { $ref } } };
    expect(validateArguments('{"a":1}', schema)).not.toBe(validateArguments('{"a":"1"}', schema));
  });

  it('an unknown reference and a bound count as valid, unchecked', () => {
    expect(validateArguments('{"a":1}', { properties: { a: { $ref: 'https://example.com/a' } } })).toBe('unchecked');
    const wide = { allOf: [{ $ref: '#' }, { $ref: '#' }, { $ref: '#' }] };
    const since = cpuMs();
    expect(validateArguments('{"a":1}', wide)).toBe('unchecked');
    expect(cpuMs() - since).toBeLessThan(500);
  });
});
