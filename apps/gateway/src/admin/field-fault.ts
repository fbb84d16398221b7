import { Fault, type FaultCode, type FieldFault } from '@callsmith/turn';

/** The refusal of one field. `summary`: the whole message, if the field's name and the reason are not enough. */
export function fieldFault(
  { path, message }: FieldFault,
  { code = 'invalid_parameter', summary = `${path}: ${message}` }: { code?: FaultCode; summary?: string } = {},
): Fault {
  return new Fault(code, summary, { param: path, fields: [{ path, message }] });
}

/** The refusal of a name that is already taken; the kind with its article, e.g. `a team`. */
export const nameTaken = (kind: string, name: string): Fault =>
  fieldFault(
    { path: 'name', message: 'is taken' },
    { code: 'conflict', summary: `There is already ${kind} named "${name}".` },
  );
