import { Fault, type FaultCode, type FieldFault } from '@callsmith/turn';

/** The refusal of one field. `summary`: what is said of it as a whole, where its name and what is wrong with it will not do. */
export function fieldFault(
  { path, message }: FieldFault,
  { code = 'invalid_parameter', summary = `${path}: ${message}` }: { code?: FaultCode; summary?: string } = {},
): Fault {
  return new Fault(code, summary, { param: path, fields: [{ path, message }] });
}

/** The refusal of a name that another one of its kind has; the kind with its article, e.g. `a team`. */
export const nameTaken = (kind: string, name: string): Fault =>
  fieldFault(
    { path: 'name', message: 'is taken' },
    { code: 'conflict', summary: `There is already ${kind} named "${name}".` },
  );
