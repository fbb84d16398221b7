import { type FindingClass, isObject, type JsonObject, parseJson, type Tool } from '@callsmith/turn';
import type { CallSource } from './pending-call.ts';
import { SchemaCheck, type SchemaMismatch } from './schema-check.ts';

/** A call that cannot be used as it is. */
export interface UnusableCall {
  readonly class: FindingClass;
  /** Name the model used. */
  readonly name: string;
  /** Undefined: no tool of this name is on offer. */
  readonly tool: Tool | undefined;
  readonly source: CallSource;
  /** The model ended it, so that it stands in the answer as a call. */
  readonly closed: boolean;
  /** Its arguments object as JSON text; undefined: there is none that can be read. */
  readonly arguments: string | undefined;
  /** What the model wrote as its arguments, or as the whole call where it is not closed. */
  readonly raw: string;
  /** What in a required argument does not satisfy the tool's schema. */
  readonly mismatch?: SchemaMismatch;
  /** The model was not shown the tool's schema. */
  readonly unshown?: true;
}

/**
 * Why an answer is of no use where a call was meant (D-35).
 *
 * - `calls`: none of its calls can be used.
 * - `empty`: it has neither text nor a call.
 * - `call-in-reasoning`: so, but for a call in reasoning that was closed.
 * - `no-call`: a call was required.
 * - `announced`: it ends by announcing a call.
 * - `rejected`: the engine's own parser could not read what its model wrote, and says nothing of that.
 */
export type Unusable =
  | { readonly kind: 'calls'; readonly calls: readonly UnusableCall[] }
  | { readonly kind: 'empty' | 'call-in-reasoning' | 'no-call' | 'announced' | 'rejected' };

/** Takes what an answer would end with, as long as it may be asked for again. */
export interface Withholding {
  /** Nothing goes out any more. */
  begin(): void;
  /** The answer counts as it is: all that was held back goes out, and nothing more is held back. */
  end(): void;
}

/** What in the required arguments of a call does not satisfy its schema; undefined: others do not. */
export function requiredMismatch(json: string, schema: JsonObject): SchemaMismatch | undefined {
  const value = parseJson(json);
  if (value === undefined) return undefined;
  const { properties, additionalProperties: _, ...rest } = schema;
  const required = Array.isArray(schema.required) ? schema.required : [];
  const own = Object.fromEntries(
    Object.entries(isObject(properties) ? properties : {}).filter(([name]) => required.includes(name)),
  );
  return new SchemaCheck(schema).mismatch(value, { ...rest, properties: own });
}

/**
 * What in the arguments does not satisfy a schema that the model was not shown: anything, and a name that the schema does
 * not know although it says nothing of others, since that was guessed.
 */
export function unshownMismatch(json: string, schema: JsonObject): SchemaMismatch | undefined {
  const value = parseJson(json);
  if (value === undefined) return undefined;
  return new SchemaCheck(schema).mismatch(value, isOpen(schema) ? schema : { ...schema, additionalProperties: false });
}

/** Other names than those of its `properties` may be meant. */
const isOpen = (schema: JsonObject): boolean =>
  !isObject(schema.properties) ||
  ['additionalProperties', 'unevaluatedProperties', 'patternProperties', 'anyOf', 'oneOf', 'allOf', '$ref', 'if'].some(
    (keyword) => schema[keyword] !== undefined,
  );
