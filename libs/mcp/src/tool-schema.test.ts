import type { JsonObject } from '@callsmith/turn';
import { expect, it } from 'vitest';
import { sameDefinition, toolProblem } from './tool-schema.ts';

const problem = (inputSchema: JsonObject, description = '') => toolProblem({ description, inputSchema });
const nested = (levels: number): JsonObject =>
  levels === 0 ? { type: 'string' } : { type: 'object', properties: { a: nested(levels - 1) } };

it.each([
  [{ type: 'object' }, undefined],
  [{ type: 'object', properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: { type: 'string' } } }, undefined],
  [{ type: 'string' }, 'its schema must have the type "object"'],
  [{}, 'its schema must have the type "object"'],
  [{ type: 'object', properties: { a: { $ref: 'http://127.0.0.1/secret' } } }, 'refers to another document'],
  [{ type: 'object', properties: { a: { enum: ['x'.repeat(70_000)] } } }, 'at most 65536'],
  [nested(40), 'nested more than 32 levels'],
])('a schema is offered as it is or refused by name: %#', (schema, message) => {
  if (message === undefined) expect(problem(schema)).toBeUndefined();
  else expect(problem(schema)).toContain(message);
});

it('an overlong description is refused', () => {
  expect(problem({ type: 'object' }, 'x'.repeat(20_000))).toContain('its description has 20000 characters');
});

it('a change of words or of the schema counts, a change in the order of its members does not', () => {
  const one = { description: 'a', inputSchema: { type: 'object', properties: { a: { type: 'string', title: 't' } } } };
  const other = {
    description: 'a',
    inputSchema: { properties: { a: { title: 't', type: 'string' } }, type: 'object' },
  };
  expect(sameDefinition(one, other)).toBe(true);
  expect(sameDefinition(one, { ...one, description: 'a ' })).toBe(false);
  expect(sameDefinition(one, { ...one, inputSchema: { type: 'object' } })).toBe(false);
});
