import { plainMessage } from '@callsmith/contracts';
import { Fault, type FaultCode, type FieldFault, faults } from '@callsmith/turn';
import { z } from 'zod';

/**
 * Parses a caller's input. Throws a `Fault` that names every wrong field; `codes` gives single fields their own error
 * code.
 */
export function parseInput<S extends z.ZodType>(
  schema: S,
  input: unknown,
  codes: Readonly<Record<string, string>> = {},
): z.output<S> {
  const result = schema.safeParse(input, { error: plainMessage });
  const nul = result.success ? pathOfNul(result.data) : undefined;
  if (result.success && nul === undefined) return result.data;
  const fields = nul
    ? [{ path: pathOf(nul), message: 'must not contain the character U+0000' }]
    : (result.error?.issues ?? []).flatMap((issue) => fieldsOf(issue, input));
  const first = fields[0] ?? { path: '', message: 'is not a valid body for this route' };
  const message = fields.slice(0, 5).map(sentence).join('; ');
  throw new Fault(codeOf(codes[first.path], first), message, {
    ...(first.path !== '' && { param: first.path }),
    fields,
  });
}

/** A member of the input, and its parent. */
interface Place {
  readonly key: PropertyKey;
  readonly value: unknown;
  readonly inside: Place | undefined;
}

/** The path of a string with U+0000, which PostgreSQL text cannot contain; undefined if there is none. */
function pathOfNul(input: unknown): PropertyKey[] | undefined {
  const open: Place[] = [{ key: '', value: input, inside: undefined }];
  for (let place = open.pop(); place; place = open.pop()) {
    const { value } = place;
    if (typeof value === 'string' && value.includes('\0')) return keysTo(place);
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, inner] of Object.entries(value))
      open.push({ key: Array.isArray(value) ? Number(key) : key, value: inner, inside: place });
  }
  return undefined;
}

/** The keys of the path, at most the first ten of them. */
function keysTo(place: Place): PropertyKey[] {
  const keys: PropertyKey[] = [];
  for (let at = place; at.inside; at = at.inside) keys.push(at.key);
  return keys.reverse().slice(0, 10);
}

const MISSING = 'is required';

const sentence = ({ path, message }: FieldFault): string => (path === '' ? message : `${path}: ${message}`);

function codeOf(own: string | undefined, first: FieldFault): FaultCode {
  if (own !== undefined && own in faults) return own as FaultCode;
  return first.message === MISSING ? 'missing_parameter' : 'invalid_parameter';
}

/** The fields that an issue is about, each with its error. `input`: the whole value. */
export function fieldsOf(issue: z.core.$ZodIssue, input: unknown): FieldFault[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({ path: pathOf([...issue.path, key]), message: 'is not a known field' }));
  const missing = issue.code === 'invalid_type' && valueAt(input, issue.path) === undefined;
  return [{ path: pathOf(issue.path), message: missing ? MISSING : issue.message }];
}

/** `["holders", 0]` is `holders[0]`. */
function pathOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? String(part) : `${text}.${String(part)}`;
  }, '');
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, part) =>
      typeof value === 'object' && value !== null ? (value as Record<PropertyKey, unknown>)[part] : undefined,
    input,
  );
}
