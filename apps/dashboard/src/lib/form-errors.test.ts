import { ApiError } from '@callsmith/contracts';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { bodyErrors, refusedFields } from './form-errors.ts';

const schema = z.object({
  name: z.string().min(1),
  owners: z.array(z.string().min(1)),
  limits: z.object({ tools: z.boolean() }),
  expiresAt: z.iso.datetime().nullable(),
});
const names = {
  values: { name: '', owners: 'a\nb', limits: { tools: 'yes' }, expiresOn: '' },
  renamed: { expiresAt: 'expiresOn' },
};

test('a schema’s message is at the field of the form, as a sentence', () => {
  const body = { name: '', owners: ['a', ''], limits: { tools: 'yes' }, expiresAt: 'soon' };
  expect(bodyErrors(schema, body, names)).toEqual({
    name: 'Must not be empty.',
    owners: 'Must not be empty.',
    'limits.tools': 'Must be true or false.',
    expiresOn: expect.stringMatching(/^Must be a date and time/),
  });
  expect(bodyErrors(schema, { name: 'a', owners: [], limits: { tools: true }, expiresAt: null }, names)).toEqual({});
});

test('the server’s messages are at the fields that it names, and else at none', () => {
  const fields = [
    { path: 'owners[3]', message: 'must not be empty' },
    { path: 'budget', message: 'is required' },
  ];
  expect(refusedFields(new ApiError(400, 'invalid_parameter', 'wrong', 'owners', null, fields), names)).toEqual({
    owners: 'Must not be empty.',
    '': 'Is required.',
  });
  expect(refusedFields(new ApiError(409, 'conflict', 'There is one.', 'name', null), names)).toEqual({
    name: 'There is one.',
  });
  expect(refusedFields(new ApiError(500, 'internal_error', 'Sorry.', null, null), names)).toEqual({});
});
