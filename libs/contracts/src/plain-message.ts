import type { z } from 'zod';

/**
 * What is wrong with a value, as the rest of a sentence that begins with its field: `must be at least 1`. Used by every
 * form and every response of the admin API; the schema's own message takes precedence.
 */
export function plainMessage(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${types[issue.expected] ?? issue.expected}`;
    case 'too_small':
      return smallest(issue.origin, Number(issue.minimum), issue.inclusive === false);
    case 'too_big':
      return largest(issue.origin, Number(issue.maximum), issue.inclusive === false);
    case 'invalid_format':
      return `must be ${formats[issue.format] ?? 'in the expected format'}`;
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}`;
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    default:
      return 'is not valid';
  }
}

const types: Readonly<Record<string, string | undefined>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
};

const formats: Readonly<Record<string, string | undefined>> = {
  email: 'an e-mail address',
  url: 'a URL',
  datetime: 'a date and time in UTC, like 2026-01-31T12:00:00Z',
};

function smallest(origin: string, least: number, beyond: boolean): string {
  const unit = units[origin];
  if (!unit) return beyond ? `must be more than ${least}` : `must be at least ${least}`;
  if (least > 1) return `must have at least ${least} ${unit}`;
  return origin === 'array' ? 'must have at least 1 entry' : 'must not be empty';
}

function largest(origin: string, most: number, beyond: boolean): string {
  const unit = units[origin];
  if (!unit) return beyond ? `must be less than ${most}` : `must be at most ${most}`;
  return `must have at most ${most} ${unit}`;
}

const units: Readonly<Record<string, string | undefined>> = { string: 'characters', array: 'entries' };
