import { type FindingClass, isObject, type JsonObject, type Tool } from '@callsmith/turn';
import { parseWhole } from '../parse-whole.ts';
import type { CallSource } from './pending-call.ts';
import { SchemaCheck, type SchemaMismatch } from './schema-check.ts';

/** A call that cannot be used as it is. */
export interface UnusableCall {
  readonly class: FindingClass;
  /** The name that the model used. */
  readonly name: string;
  /** Undefined: the name is not on offer. */
  readonly tool: Tool | undefined;
  readonly source: CallSource;
  /** The model completed it, so the answer contains it as a call. */
  readonly closed: boolean;
  /** Its arguments object as JSON text; undefined: none is readable. */
  readonly arguments: string | undefined;
  /** What the model wrote as its arguments, or as the whole call if it is not closed. */
  readonly raw: string;
  /** Where a required argument does not satisfy the tool's schema. */
  readonly mismatch?: SchemaMismatch;
  /** The model did not get the tool's schema. */
  readonly unshown?: true;
}

/**
 * Why an answer is unusable although a call was intended (D-35).
 *
 * - `calls`: none of its calls can be used.
 * - `empty`: it has neither text nor a call.
 * - `call-in-reasoning`: it has only a call in closed reasoning.
 * - `no-call`: a call was required, and there is none.
 * - `announced`: it ends by announcing a call.
 * - `rejected`: the engine's own parser could not parse the model's output, and the response does not contain it.
 */
export type Unusable =
  | { readonly kind: 'calls'; readonly calls: readonly UnusableCall[] }
  | { readonly kind: 'empty' | 'call-in-reasoning' | 'no-call' | 'announced' | 'rejected' };

/** Withholds the end of an answer, as long as it may be requested again. */
export interface Withholding {
  /** Nothing more is emitted. */
  begin(): void;
  /** The answer is final: all that was withheld is emitted, and nothing more is withheld. */
  end(): void;
}

/** The mismatch in the required arguments of a call; undefined: only others have one, or none. */
export function requiredMismatch(json: string, schema: JsonObject): SchemaMismatch | undefined {
  const value = parseWhole(json);
  if (value === undefined) return undefined;
  const { properties, additionalProperties: _, ...rest } = schema;
  const required = Array.isArray(schema.required) ? schema.required : [];
  const own = Object.fromEntries(
    Object.entries(isObject(properties) ? properties : {}).filter(([name]) => required.includes(name)),
  );
  return new SchemaCheck(schema).mismatch(value, { ...rest, properties: own });
}

/**
 * The mismatch with a schema that the model did not get: any violation, and also a name that the schema does not
 * declare, even if it permits others, since the model guessed it.
 */
export function unshownMismatch(json: string, schema: JsonObject): SchemaMismatch | undefined {
  const value = parseWhole(json);
  if (value === undefined) return undefined;
  return new SchemaCheck(schema).mismatch(value, isOpen(schema) ? schema : { ...schema, additionalProperties: false });
}

/** True if names outside its `properties` may be intended. */
const isOpen = (schema: JsonObject): boolean =>
  !isObject(schema.properties) ||
  ['additionalProperties', 'unevaluatedProperties', 'patternProperties', 'anyOf', 'oneOf', 'allOf', '$ref', 'if'].some(
    (keyword) => schema[keyword] !== undefined,
  );
