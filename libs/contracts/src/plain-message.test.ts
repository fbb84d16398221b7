import { expect, test } from 'vitest';
import { z } from 'zod';
import { plainMessage } from './plain-message.ts';

const messageFor = (schema: z.ZodType, value: unknown): string | undefined =>
  schema.safeParse(value, { error: plainMessage }).error?.issues[0]?.message;

test('an error message is the rest of a sentence that begins with the field', () => {
  expect(messageFor(z.number().min(1), 0)).toBe('must be at least 1');
  expect(messageFor(z.number().max(5), 9)).toBe('must be at most 5');
  expect(messageFor(z.number().int(), 1.5)).toBe('must be a whole number');
  expect(messageFor(z.number(), '1')).toBe('must be a number');
  expect(messageFor(z.number(), Number.NaN)).toBe('must be a number');
  expect(messageFor(z.string().min(1), '')).toBe('must not be empty');
  expect(messageFor(z.string().min(10), 'short')).toBe('must have at least 10 characters');
  expect(messageFor(z.array(z.string()).min(1), [])).toBe('must have at least 1 entry');
  expect(messageFor(z.array(z.string()).max(2), ['a', 'b', 'c'])).toBe('must have at most 2 entries');
  expect(messageFor(z.email(), 'nobody')).toBe('must be an e-mail address');
  expect(messageFor(z.enum(['day', 'month']), 'year')).toBe('must be one of day, month');
  expect(messageFor(z.iso.datetime(), 'today')).toMatch(/^must be a date and time in UTC/);
});

test('a custom message of the schema takes precedence', () => {
  expect(messageFor(z.string().min(1, 'is required'), '')).toBe('is required');
});
