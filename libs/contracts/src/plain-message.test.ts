import { expect, test } from 'vitest';
import { z } from 'zod';
import { plainMessage } from './plain-message.ts';

const said = (schema: z.ZodType, value: unknown): string | undefined =>
  schema.safeParse(value, { error: plainMessage }).error?.issues[0]?.message;

test('an error message is the rest of a sentence that begins with the field', () => {
  expect(said(z.number().min(1), 0)).toBe('must be at least 1');
  expect(said(z.number().max(5), 9)).toBe('must be at most 5');
  expect(said(z.number().int(), 1.5)).toBe('must be a whole number');
  expect(said(z.number(), '1')).toBe('must be a number');
  expect(said(z.number(), Number.NaN)).toBe('must be a number');
  expect(said(z.string().min(1), '')).toBe('must not be empty');
  expect(said(z.string().min(10), 'short')).toBe('must have at least 10 characters');
  expect(said(z.array(z.string()).min(1), [])).toBe('must have at least 1 entry');
  expect(said(z.array(z.string()).max(2), ['a', 'b', 'c'])).toBe('must have at most 2 entries');
  expect(said(z.email(), 'nobody')).toBe('must be an e-mail address');
  expect(said(z.enum(['day', 'month']), 'year')).toBe('must be one of day, month');
  expect(said(z.iso.datetime(), 'today')).toMatch(/^must be a date and time in UTC/);
});

test('a custom message of the schema takes precedence', () => {
  expect(said(z.string().min(1, 'is required'), '')).toBe('is required');
});
