import { expect, it } from 'vitest';
import { argumentsIn, argumentsOf } from './tool-arguments.ts';

const schema = {
  type: 'object',
  properties: {
    path: { type: 'string', description: 'Where.' },
    lines: { type: 'integer' },
    deep: { type: 'boolean' },
    mode: { enum: ['r', 'w'] },
    edits: { type: 'array' },
    any: {},
  },
  required: ['path'],
};

it('each argument has a field that can hold it', () => {
  expect(argumentsIn(schema).map(({ name, kind, required }) => `${name} ${kind}${required ? ' *' : ''}`)).toEqual([
    'path text *',
    'lines number',
    'deep boolean',
    'mode choice',
    'edits json',
    'any json',
  ]);
  expect(argumentsIn({ type: 'object' })).toEqual([]);
});

it('what is empty is left out, but for a required text; JSON is read', () => {
  const fields = argumentsIn(schema);
  expect(
    argumentsOf(fields, { path: '', lines: '', deep: false, mode: null, edits: '[{"a":1}]', any: 'words' }),
  ).toEqual({
    path: '',
    deep: false,
    edits: [{ a: 1 }],
    any: 'words',
  });
});
