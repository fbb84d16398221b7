import { isObject, type JsonObject, type JsonValue, parseJson } from '@callsmith/turn';
import { quoted } from '../escape.ts';
import { type Member, members } from '../json-members.ts';
import { parseWhole } from '../parse-whole.ts';
import type { Rule } from '../rules.ts';
import { convertValue, scalarFromText, typeOfText } from './convert-value.ts';
import { type Interpretation, interpretationsOf } from './interpretations.ts';
import { allowedTypes, hasType, impliedTypes, type JsonType, ownTypes } from './schema.ts';
import { SchemaCheck } from './schema-check.ts';

const maxDepth = 8;

/**
 * Characters of values that are examined for one call, counting one again at each level and for each attempt. A value
 * counts as `perValue` more. This takes some 30 ms; arguments that need more are kept as they are.
 */
const mostExamined = 2 * 1024 * 1024;
const perValue = 64;

/** `json` replaces the text from `from` to `to`. */
interface Edit {
  readonly from: number;
  readonly to: number;
  readonly json: string;
  readonly rule: Rule;
}

/**
 * Fits an arguments object to the tool's schema: values that no branch of it accepts are replaced in place, every other
 * byte is kept. Nothing is invented: a value without a certain conversion is kept, and so are all values if that would
 * take long.
 */
export function fitArguments(json: string, schema: JsonObject, repair: (rule: Rule) => void): string {
  const fitting = new Fitting(schema);
  const edits = fitting.editsFor(json, schema, 0);
  if (fitting.gaveUp) return json;
  for (const { rule } of edits) repair(rule);
  return applyEdits(json, edits);
}

class Fitting {
  private readonly check: SchemaCheck;
  private readonly strictCheck: SchemaCheck;
  private left = mostExamined;

  constructor(private readonly root: JsonObject) {
    this.check = new SchemaCheck(root);
    this.strictCheck = new SchemaCheck(root, 'refused');
  }

  /** The arguments take too long to fit: the edits so far do not count. */
  get gaveUp(): boolean {
    return this.left < 0;
  }

  /** The edits after which the strict JSON value `text` satisfies `schema`. */
  editsFor(text: string, schema: JsonValue | undefined, depth: number): readonly Edit[] {
    if (depth > maxDepth || schema === undefined) return [];
    const value = this.parse(text);
    if (value === undefined) return [];
    if (this.check.accepts(value, schema)) return this.editsForPatterned(text, value, schema, depth);
    const readings = interpretationsOf(schema, value, this.root);
    const attempts: (readonly Edit[])[] = [];
    for (const reading of readings) {
      const edits = this.editsForReading(text, reading, depth);
      if (edits.length > 0 && this.accepts(applyEdits(text, edits), schema)) return edits;
      attempts.push(edits);
    }
    return commonEdits(attempts);
  }

  /**
   * `anyOf: [{type: string, pattern: …}, {type: integer}]` and "5": patterns are not evaluated, but an integer was
   * almost certainly meant. Any other accepted value is kept.
   */
  private editsForPatterned(text: string, value: JsonValue, schema: JsonValue, depth: number): readonly Edit[] {
    if (this.strictCheck.accepts(value, schema)) return [];
    const readings = interpretationsOf(schema, value, this.root);
    if (typeof value !== 'string')
      return commonEdits(readings.map((reading) => this.editsForContent(text, reading, depth)));
    for (const reading of readings) {
      const json = scalarFromText(value.trim(), typesOf(reading));
      const converted = json === undefined ? undefined : parseJson(json);
      if (json !== undefined && converted !== undefined && this.strictCheck.accepts(converted, schema))
        return [{ from: 0, to: text.length, json, rule: 'retype-scalar' }];
    }
    return [];
  }

  private parse(text: string): JsonValue | undefined {
    this.left -= text.length + perValue;
    return this.gaveUp ? undefined : parseWhole(text);
  }

  private accepts(text: string, schema: JsonValue): boolean {
    const value = this.parse(text);
    return value !== undefined && this.check.accepts(value, schema);
  }

  private editsForReading(text: string, reading: Interpretation, depth: number): readonly Edit[] {
    const types = typesOf(reading);
    const type = typeOfText(text);
    if (types.size === 0 || hasType(types, type)) {
      return type === 'string' ? matchAllowed(text, reading) : this.editsForContent(text, reading, depth);
    }
    const converted = convertValue(text, types, allowedTypes(itemSchema(reading), this.root));
    if (!converted) return [];
    const inner = converted.rule === 'parse-nested' ? this.editsForReading(converted.json, reading, depth + 1) : [];
    const json = applyEdits(converted.json, inner);
    return [{ from: 0, to: text.length, json, rule: converted.rule }];
  }

  private editsForContent(text: string, reading: Interpretation, depth: number): readonly Edit[] {
    if (text[0] === '{') return this.editsForMembers(text, reading, depth);
    return text[0] === '[' ? this.editsForItems(text, reading, depth) : [];
  }

  private editsForItems(text: string, reading: Interpretation, depth: number): readonly Edit[] {
    const schema = itemSchema(reading);
    if (schema === undefined) return [];
    return members(text).flatMap(({ from, to }) => moved(this.editsFor(text.slice(from, to), schema, depth + 1), from));
  }

  private editsForMembers(text: string, reading: Interpretation, depth: number): readonly Edit[] {
    const all = members(text);
    const dropped = new Set<Member>();
    const edits: Edit[] = [];
    let required: ReadonlySet<JsonValue> | undefined;
    for (const member of all) {
      const schema = propertySchema(reading, member.key);
      if (schema === undefined) continue;
      const value = text.slice(member.from, member.to);
      required ??= value === 'null' ? requiredIn(reading) : undefined;
      if (value === 'null' && !required?.has(member.key) && !this.check.accepts(null, schema)) dropped.add(member);
      else edits.push(...moved(this.editsFor(value, schema, depth + 1), member.from));
    }
    if (dropped.size === 0) return edits;
    return [...edits, ...removals(all, dropped)].sort((a, b) => a.from - b.from);
  }
}

/** The types that all schemas of an interpretation allow; empty if none of them names any. */
function typesOf(reading: Interpretation): ReadonlySet<JsonType> {
  let types: Set<JsonType> | undefined;
  for (const schema of reading) {
    const own = schema.type === undefined ? impliedTypes(schema) : ownTypes(schema);
    if (own.size === 0) continue;
    if (schema.nullable === true) own.add('null');
    types = types ? new Set([...types].filter((type) => hasType(own, type))) : own;
  }
  return types ?? new Set();
}

/** The schema of a list's elements; several that apply together are combined. */
const itemSchema = (reading: Interpretation): JsonValue | undefined =>
  joined(reading.flatMap(({ items }) => (isObject(items) ? [items] : [])));

function propertySchema(reading: Interpretation, key: string): JsonValue | undefined {
  return joined(
    reading.flatMap(({ properties, additionalProperties: additional, patternProperties }) => {
      if (isObject(properties) && Object.hasOwn(properties, key)) return [properties[key] as JsonValue];
      return isObject(additional) && patternProperties === undefined ? [additional] : [];
    }),
  );
}

const joined = (schemas: readonly JsonValue[]): JsonValue | undefined =>
  schemas.length > 1 ? { allOf: [...schemas] } : schemas[0];

const requiredIn = (reading: Interpretation): ReadonlySet<JsonValue> =>
  new Set(reading.flatMap(({ required }) => (Array.isArray(required) ? required : [])));

/** Edits a string that differs from exactly one allowed value only by case or surrounding space. */
function matchAllowed(text: string, reading: Interpretation): readonly Edit[] {
  if (text.length > 1024) return [];
  const value = parseJson(text) as string;
  for (const schema of reading) {
    const allowed = schema.const !== undefined ? [schema.const] : schema.enum;
    if (!Array.isArray(allowed) || allowed.includes(value)) continue;
    const wanted = value.trim().toLowerCase();
    const alike = allowed
      .slice(0, 1024)
      .filter((one): one is string => typeof one === 'string' && one.trim().toLowerCase() === wanted);
    if (alike.length !== 1) continue;
    return [{ from: 0, to: text.length, json: quoted(alike[0] as string), rule: 'match-enum' }];
  }
  return [];
}

// {"a": null, "b": 1, "c": null}
//  ^^^^^^^^^^^      ^^^^^^^^^^^   removed with a dropped member: the comma between it and a kept one
function removals(all: readonly Member[], dropped: ReadonlySet<Member>): Edit[] {
  const edits: Edit[] = [];
  for (let at = 0; at < all.length; at++) {
    if (!dropped.has(all[at] as Member)) continue;
    const first = at;
    while (at + 1 < all.length && dropped.has(all[at + 1] as Member)) at++;
    const next = all[at + 1];
    const from = next || first === 0 ? (all[first] as Member).start : (all[first - 1] as Member).to;
    edits.push({ from, to: next ? next.start : (all[at] as Member).to, json: '', rule: 'drop-null' });
  }
  return edits;
}

const moved = (edits: readonly Edit[], by: number): readonly Edit[] =>
  edits.map((edit) => ({ ...edit, from: edit.from + by, to: edit.to + by }));

/** If no interpretation yields a value that fits: the edits that all of them share. */
function commonEdits(attempts: readonly (readonly Edit[])[]): readonly Edit[] {
  const [first = [], ...others] = attempts;
  const places = others.map((edits) => new Set(edits.map(written)));
  return first.filter((edit) => places.every((edits) => edits.has(written(edit))));
}

const written = ({ from, to, json }: Edit): string => `${from} ${to} ${json}`;

function applyEdits(text: string, edits: readonly Edit[]): string {
  if (edits.length === 0) return text;
  const pieces: string[] = [];
  let at = 0;
  for (const edit of edits) {
    pieces.push(text.slice(at, edit.from), edit.json);
    at = edit.to;
  }
  return pieces.join('') + text.slice(at);
}
