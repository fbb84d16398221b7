import { plainMessage } from '@callsmith/contracts';
import { Fault, type FaultCode, type FieldFault, faults } from '@callsmith/turn';
import { z } from 'zod';

/**
 * Parses what a caller gave. Throws a `Fault` that names every wrong field; `codes` gives single fields an error code
 * of their own.
 */
export function check<S extends z.ZodType>(
  schema: S,
  given: unknown,
  codes: Readonly<Record<string, string>> = {},
): z.output<S> {
  const result = schema.safeParse(given, { error: plainMessage });
  if (result.success) return result.data;
  const fields = result.error.issues.flatMap((issue) => fieldsOf(issue, given));
  const first = fields[0] ?? { path: '', message: 'is not a valid body for this route' };
  const message = fields.slice(0, 5).map(sentence).join('; ');
  throw new Fault(codeOf(codes[first.path], first), message, {
    ...(first.path !== '' && { param: first.path }),
    fields,
  });
}

const MISSING = 'is required';

const sentence = ({ path, message }: FieldFault): string => (path === '' ? message : `${path}: ${message}`);

function codeOf(own: string | undefined, first: FieldFault): FaultCode {
  if (own !== undefined && own in faults) return own as FaultCode;
  return first.message === MISSING ? 'missing_parameter' : 'invalid_parameter';
}

/** The fields that an issue is about, each with what is wrong with it. `given`: the whole value. */
export function fieldsOf(issue: z.core.$ZodIssue, given: unknown): FieldFault[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({ path: pathOf([...issue.path, key]), message: 'is not a known field' }));
  const missing = issue.code === 'invalid_type' && valueAt(given, issue.path) === undefined;
  return [{ path: pathOf(issue.path), message: missing ? MISSING : issue.message }];
}

/** `["holders", 0]` is `holders[0]`. */
function pathOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? String(part) : `${text}.${String(part)}`;
  }, '');
}

function valueAt(given: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, part) =>
      typeof value === 'object' && value !== null ? (value as Record<PropertyKey, unknown>)[part] : undefined,
    given,
  );
}
