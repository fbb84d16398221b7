import { type ApiError, plainMessage } from '@callsmith/contracts';
import type { z } from 'zod';

/** Messages by the name of the field that they belong to; '' for those that belong to none. */
export type FormErrors = Readonly<Record<string, string>>;

/** How the paths of a body lead to the fields of a form. */
export interface FieldNames {
  /** The form's values, by the name of the field. */
  readonly values: object;
  /** Where a member of the body has a field of another name, e.g. `{ expiresAt: 'expiresOn' }`. */
  readonly renamed: Readonly<Record<string, string>>;
}

/** What the contract's schema says against a body, at the form's fields; empty where it takes it. */
export function bodyErrors(schema: z.ZodType, body: unknown, names: FieldNames): FormErrors {
  const { error } = schema.safeParse(body, { error: plainMessage });
  return errorsAt(error?.issues.map(({ path, message }) => [path.map(String), message]) ?? [], names);
}

/** What the server says against fields that it names, at the form's fields; empty where it names none. */
export function refusedFields({ fields, param, message }: ApiError, names: FieldNames): FormErrors {
  const messages = fields.length > 0 ? fields : param === null ? [] : [{ path: param, message }];
  return errorsAt(
    messages.map((field) => [field.path.split(/[.[\]]+/).filter((part) => part !== ''), field.message]),
    names,
  );
}

// The first thing that is wrong with a field is said.
function errorsAt(
  found: readonly (readonly [path: readonly string[], message: string])[],
  names: FieldNames,
): FormErrors {
  return Object.fromEntries(
    found.map(([path, message]) => [fieldOf(path, names), sentence(message)] as const).reverse(),
  );
}

/** `['routes', '0', 'weight']` is the field `routes.0.weight` where the form has it, else `routes`, else none. */
function fieldOf([head = '', ...rest]: readonly string[], { values, renamed }: FieldNames): string {
  const renamedTo = renamed[head];
  if (renamedTo !== undefined) return renamedTo;
  if (!Object.hasOwn(values, head)) return '';
  let at: unknown = (values as Record<string, unknown>)[head];
  for (const part of rest) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, part)) return head;
    at = (at as Record<string, unknown>)[part];
  }
  return [head, ...rest].join('.');
}

// `must be at least 1` reads as a sentence of its own under a field.
const sentence = (message: string): string =>
  `${message.charAt(0).toUpperCase()}${message.slice(1)}${/[.!?]$/.test(message) ? '' : '.'}`;
