import { copyNumberSources, isObject, type JsonObject, type JsonValue } from '@callsmith/turn';

/**
 * Keywords that vLLM's request check, xgrammar, llguidance or llama.cpp refuse, or that make their grammars slow. The
 * calls are validated against the complete schema all the same.
 */
const dropped = new Set([
  'multipleOf',
  'uniqueItems',
  'contains',
  'minContains',
  'maxContains',
  'patternProperties',
  'propertyNames',
  'minProperties',
  'maxProperties',
  'not',
  'if',
  'then',
  'else',
  'dependentRequired',
  'dependentSchemas',
  'unevaluatedProperties',
  'unevaluatedItems',
  'pattern',
  'format',
  'minLength',
  'maxLength',
  'default',
  '$schema',
  '$id',
]);
const types = new Set(['string', 'number', 'integer', 'boolean', 'null', 'object', 'array']);
const mostItems = 64;
/** The deepest nesting of schemas and references. A schema beyond it is left as it is. */
const deepest = 64;
/** The most parts after references were replaced. A schema beyond it is left as it is. */
const mostParts = 20_000;

/** Members that hold a schema, a list of them, or schemas by name. */
const schemaIn = new Set(['items', 'additionalProperties', 'additionalItems']);
const schemasIn = new Set(['anyOf', 'allOf', 'oneOf', 'prefixItems']);
const namedSchemasIn = new Set(['properties']);
const definitions = new Set(['$defs', 'definitions']);

/**
 * Simplifies a schema so that every engine can make a grammar of it: leaves out keywords, makes `oneOf` an `anyOf`, and
 * replaces references. Returns the very same object if nothing changes or the result would be too large.
 */
export function simpleSchema(schema: JsonObject): JsonObject {
  const simple = new Simplifier(schema);
  try {
    const made = simple.of(schema, [], 0);
    return simple.changed && isObject(made) ? made : schema;
  } catch (error) {
    if (error instanceof TooLarge) return schema;
    throw error;
  }
}

class TooLarge extends Error {}

class Simplifier {
  changed = false;
  private parts = 0;

  constructor(private readonly root: JsonObject) {}

  /**
   * Simplifies one schema. `within`: the references that led here; one that leads back to itself becomes any value.
   * Throws `TooLarge`.
   */
  of(schema: JsonValue, within: readonly string[], depth: number): JsonValue {
    if (!isObject(schema)) return schema;
    if (++this.parts > mostParts || depth > deepest) throw new TooLarge();
    if (typeof schema.$ref === 'string') return this.referenced(schema, schema.$ref, within, depth);
    const simple: JsonObject = {};
    for (const key of Object.keys(schema))
      this.member(simple, { key, value: schema[key] as JsonValue, among: schema }, within, depth + 1);
    copyNumberSources(schema, simple);
    this.dropUndeclared(simple);
    return simple;
  }

  private member(
    simple: JsonObject,
    { key, value, among }: { readonly key: string; readonly value: JsonValue; readonly among: JsonObject },
    within: readonly string[],
    depth: number,
  ): void {
    const large = key === 'maxItems' && typeof value === 'number' && value > mostItems;
    if (dropped.has(key) || definitions.has(key) || large || (key === 'type' && !isKnownType(value))) {
      this.changed = true;
      return;
    }
    const name = key === 'oneOf' && among.anyOf === undefined ? 'anyOf' : key;
    if (name !== key) this.changed = true;
    if (schemaIn.has(key)) simple[name] = this.of(value, within, depth);
    else if (schemasIn.has(key) && Array.isArray(value)) simple[name] = value.map((one) => this.of(one, within, depth));
    else if (namedSchemasIn.has(key) && isObject(value))
      simple[name] = Object.fromEntries(
        Object.entries(value).map(([property, one]) => [property, this.of(one as JsonValue, within, depth)]),
      );
    else simple[name] = value;
  }

  private referenced(schema: JsonObject, reference: string, within: readonly string[], depth: number): JsonValue {
    this.changed = true;
    const { $ref: _, ...beside } = schema;
    const target = within.includes(reference) ? undefined : this.find(reference);
    if (target === undefined) return this.of(beside, within, depth + 1);
    return this.of(isObject(target) ? { ...target, ...beside } : beside, [...within, reference], depth + 1);
  }

  /** What a local reference such as `#/$defs/Point` points to. */
  private find(reference: string): JsonValue | undefined {
    if (!reference.startsWith('#')) return undefined;
    let at: JsonValue | undefined = this.root;
    for (const part of reference.slice(1).split('/').slice(1)) {
      const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
      at = isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
    }
    return at;
  }

  /** Removes names from `required` that `properties` does not declare. */
  private dropUndeclared(simple: JsonObject): void {
    const { required, properties } = simple;
    if (!Array.isArray(required) || !isObject(properties)) return;
    const declared = required.filter((name) => typeof name === 'string' && Object.hasOwn(properties, name));
    if (declared.length === required.length) return;
    this.changed = true;
    simple.required = declared;
  }
}

const isKnownType = (type: JsonValue): boolean =>
  (Array.isArray(type) ? type : [type]).every((one) => typeof one === 'string' && types.has(one));
