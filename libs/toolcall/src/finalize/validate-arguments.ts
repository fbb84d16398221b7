import type { JsonObject } from '@callsmith/turn';
import { parseWhole } from '../parse-whole.ts';
import { isObviouslyValid } from './obviously-valid.ts';
import { SchemaCheck, type SchemaMismatch } from './schema-check.ts';

/** The result of a check. `unchecked`: it reached a limit or an unknown reference, or was too large to begin with. */
export type ArgumentsVerdict = 'valid' | 'unchecked' | SchemaMismatch;

/** Checks the text of an arguments object against the tool's schema. */
export function validateArguments(json: string, schema: JsonObject): ArgumentsVerdict {
  const value = parseWhole(json);
  if (value === undefined) return 'unchecked';
  if (isObviouslyValid(value, schema)) return 'valid';
  const check = new SchemaCheck(schema);
  return check.mismatch(value, schema) ?? (check.unchecked ? 'unchecked' : 'valid');
}

/**
 * Where and how arguments violate a schema, without their values; undefined: they satisfy it, as far as it was checked.
 */
export function schemaMismatch(json: string, schema: JsonObject): string | undefined {
  const verdict = validateArguments(json, schema);
  return typeof verdict === 'string' ? undefined : `${verdict.path} (${verdict.keyword})`;
}
