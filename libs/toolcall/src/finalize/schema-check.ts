import { isObject, type JsonObject, type JsonValue } from '@callsmith/turn';
import { hasType, ownTypes, resolveReference, typeOf } from './schema.ts';

/** The place where a value does not satisfy its schema, and the keyword that it violates. */
export interface SchemaMismatch {
  /** Path from `arguments` down, e.g. `arguments.todos[0].status`. */
  readonly path: string;
  readonly keyword: string;
  readonly reason: string;
  /** The schema that is violated, and the value there; undefined: there is none. */
  readonly schema?: JsonObject;
  readonly value?: JsonValue;
}

/** The result for strings whose schema has a `pattern` or `format`, neither of which is enforced. */
export type PatternedStrings = 'accepted' | 'refused';

const maxDepth = 64;
const maxSteps = 20_000;
const longestKey = 64;

/**
 * Checks values against one JSON schema: `type`, `const`, `enum`, `required`, `properties`, `additionalProperties`,
 * `items`, references and branches. Nothing that a schema could make slow is evaluated: no `pattern`, no generated
 * code; depth and steps are bounded for all checks of one instance together. What could not be checked counts as
 * satisfied, and `unchecked` is then set.
 */
export class SchemaCheck {
  unchecked = false;
  private steps = maxSteps;

  constructor(
    private readonly root: JsonObject,
    private readonly patterned: PatternedStrings = 'accepted',
  ) {}

  /** True if `value` satisfies `schema`, which is the root schema or a part of it. */
  accepts(value: JsonValue, schema: JsonValue | undefined): boolean {
    return this.mismatch(value, schema) === undefined;
  }

  /** The first thing in `value` that does not satisfy `schema`. */
  mismatch(value: JsonValue, schema: JsonValue | undefined): SchemaMismatch | undefined {
    return this.check(value, schema, 'arguments', 0);
  }

  private check(
    value: JsonValue,
    schema: JsonValue | undefined,
    path: string,
    depth: number,
  ): SchemaMismatch | undefined {
    if (schema === false) return { path, keyword: 'false', reason: 'nothing is allowed here' };
    if (!isObject(schema)) return undefined;
    if (depth > maxDepth || this.steps-- <= 0) {
      this.unchecked = true;
      return undefined;
    }
    if (value === null && schema.nullable === true) return undefined;
    return (
      this.checkType(value, schema, path) ??
      this.checkValues(value, schema, path) ??
      this.checkReference(value, schema, path, depth) ??
      this.checkBranches(value, schema, path, depth) ??
      this.checkItems(value, schema, path, depth) ??
      this.checkMembers(value, schema, path, depth)
    );
  }

  private checkType(value: JsonValue, schema: JsonObject, path: string): SchemaMismatch | undefined {
    const types = ownTypes(schema);
    const type = typeOf(value);
    if (types.size > 0 && !hasType(types, type))
      return { path, keyword: 'type', reason: `${type}, not ${[...types].join(' or ')}`, schema, value };
    if (type !== 'string' || this.patterned === 'accepted') return undefined;
    const keyword = schema.pattern !== undefined ? 'pattern' : schema.format !== undefined ? 'format' : undefined;
    return keyword && { path, keyword, reason: 'not enforced' };
  }

  private checkValues(value: JsonValue, schema: JsonObject, path: string): SchemaMismatch | undefined {
    if (schema.const !== undefined && !this.isSame(value, schema.const))
      return { path, keyword: 'const', reason: 'not the allowed value', schema, value };
    if (!Array.isArray(schema.enum)) return undefined;
    this.steps -= schema.enum.length >> 5;
    const found = schema.enum.some((member) => this.isSame(value, member));
    return found ? undefined : { path, keyword: 'enum', reason: 'none of the allowed values', schema, value };
  }

  private checkReference(value: JsonValue, schema: JsonObject, path: string, depth: number) {
    if (typeof schema.$ref !== 'string') return undefined;
    const target = resolveReference(schema.$ref, this.root);
    if (target === undefined) this.unchecked = true;
    return this.check(value, target, path, depth + 1);
  }

  private checkBranches(value: JsonValue, schema: JsonObject, path: string, depth: number): SchemaMismatch | undefined {
    if (Array.isArray(schema.allOf)) {
      for (const part of schema.allOf) {
        const mismatch = this.check(value, part, path, depth + 1);
        if (mismatch) return mismatch;
      }
    }
    for (const keyword of ['anyOf', 'oneOf'] as const) {
      const branches = schema[keyword];
      if (!Array.isArray(branches) || branches.length === 0) continue;
      const misses: SchemaMismatch[] = [];
      for (const branch of branches) {
        const mismatch = this.check(value, branch, path, depth + 1);
        if (!mismatch) break;
        misses.push(mismatch);
      }
      if (misses.length === branches.length)
        return deepest(misses, path) ?? { path, keyword, reason: 'no branch accepts it', schema, value };
    }
    return undefined;
  }

  private checkItems(value: JsonValue, schema: JsonObject, path: string, depth: number): SchemaMismatch | undefined {
    if (!Array.isArray(value)) return undefined;
    const { items } = schema;
    const prefix = Array.isArray(items) ? items : Array.isArray(schema.prefixItems) ? schema.prefixItems : [];
    const rest = Array.isArray(items) ? schema.additionalItems : items;
    if (prefix.length === 0 && rest === undefined) return undefined;
    for (let at = 0; at < value.length; at++) {
      const item = at < prefix.length ? prefix[at] : rest;
      const mismatch = this.check(value[at] as JsonValue, item, `${path}[${at}]`, depth + 1);
      if (mismatch || this.steps <= 0) return mismatch;
    }
    return undefined;
  }

  private checkMembers(value: JsonValue, schema: JsonObject, path: string, depth: number): SchemaMismatch | undefined {
    if (!isObject(value)) return undefined;
    if (Array.isArray(schema.required)) {
      this.steps -= schema.required.length >> 3;
      for (const key of schema.required)
        if (typeof key === 'string' && !Object.hasOwn(value, key))
          return { path: memberPath(path, key), keyword: 'required', reason: 'missing', ...propertyOf(schema, key) };
    }
    const properties = isObject(schema.properties) ? schema.properties : undefined;
    // Patterns are not evaluated, so no key can be called undeclared.
    const additional = schema.patternProperties === undefined ? schema.additionalProperties : undefined;
    if (!properties && additional === undefined) return undefined;
    for (const key of Object.keys(value)) {
      const declared = properties !== undefined && Object.hasOwn(properties, key);
      if (!declared && additional === false)
        return { path: memberPath(path, key), keyword: 'additionalProperties', reason: 'not in the schema' };
      const inner = declared ? properties[key] : additional;
      const mismatch = this.check(value[key] as JsonValue, inner, memberPath(path, key), depth + 1);
      if (mismatch || this.steps <= 0) return mismatch;
    }
    return undefined;
  }

  /** Compares JSON values, ignoring the order of an object's keys; what is too large to compare counts as equal. */
  private isSame(a: JsonValue | undefined, b: JsonValue | undefined, depth = 0): boolean {
    if (a === b) return true;
    if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
    if (depth > maxDepth || this.steps <= 0) {
      this.unchecked = true;
      return true;
    }
    if (Array.isArray(a) || Array.isArray(b)) {
      if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
      this.steps -= a.length >> 5;
      return a.every((item, at) => this.isSame(item, b[at], depth + 1));
    }
    const keys = Object.keys(a);
    this.steps -= keys.length >> 2;
    return (
      keys.length === Object.keys(b).length &&
      keys.every((key) => Object.hasOwn(b, key) && this.isSame(a[key], b[key], depth + 1))
    );
  }
}

/** The schema of a property, where it is an object. */
function propertyOf({ properties }: JsonObject, key: string): { readonly schema?: JsonObject } {
  const schema = isObject(properties) && Object.hasOwn(properties, key) ? properties[key] : undefined;
  return isObject(schema) ? { schema } : {};
}

const memberPath = (path: string, key: string): string => `${path}.${key.slice(0, longestKey)}`;

/** The deepest mismatch, if only one branch got that far: that branch was meant. */
function deepest(misses: readonly SchemaMismatch[], path: string): SchemaMismatch | undefined {
  const inside = misses.filter((miss) => miss.path !== path && miss.keyword !== 'const' && miss.keyword !== 'enum');
  return inside.length === 1 || misses.length === 1 ? (inside[0] ?? misses[0]) : undefined;
}
