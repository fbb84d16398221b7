import { type JsonObject, type JsonValue, parseJson } from '@callsmith/turn';
import { quoted } from '../escape.ts';
import { members } from '../json-members.ts';
import { parseLooseJson } from '../parse-loose-json.ts';
import type { Rule } from '../rules.ts';
import { allowedTypes, allowedValues, itemSchema, type JsonType, propertySchema } from './schema.ts';

const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const integer = /^-?(?:0|[1-9]\d*)$/;
const deepest = 8;

interface Edit {
  readonly from: number;
  readonly to: number;
  readonly json: string;
}

/**
 * Fits an arguments object to the tool's schema: values of the wrong type are replaced in place, every other byte stays (D-5).
 * Nothing is invented: what does not fit certainly, stays.
 */
export function fitArguments(json: string, schema: JsonObject, mend: (rule: Rule) => void): string {
  const edits: Edit[] = [];
  fitMembers(json, 0, schema, 0);
  if (edits.length === 0) return json;
  let fitted = '';
  let at = 0;
  for (const edit of edits) {
    fitted += json.slice(at, edit.from) + edit.json;
    at = edit.to;
  }
  return fitted + json.slice(at);

  function fitMembers(text: string, from: number, of: JsonValue | undefined, depth: number): void {
    if (depth > deepest) return;
    const list = text[from] === '[';
    const items = list ? itemSchema(of, schema) : undefined;
    if (list && items === undefined) return;
    for (const member of members(text, from)) {
      const inner = list ? items : propertySchema(of, schema, member.key);
      if (inner !== undefined) fitValue(text, member.from, member.to, inner, depth);
    }
  }

  function fitValue(text: string, from: number, to: number, of: JsonValue, depth: number): void {
    const types = allowedTypes(of, schema);
    const kind = kindOf(text, from, to);
    if (
      types.size === 0 ||
      types.has(kind) ||
      (kind === 'number' && types.has('integer') && isIntegral(text.slice(from, to)))
    ) {
      if (kind === 'object' || kind === 'array') fitMembers(text, from, of, depth + 1);
      else if (kind === 'string') matchEnum(text, from, to, of);
      return;
    }
    const edit = convert(text.slice(from, to), kind, types, of, schema);
    if (!edit) return;
    mend(edit.rule);
    edits.push({ from, to, json: edit.json });
  }

  function matchEnum(text: string, from: number, to: number, of: JsonValue): void {
    const allowed = allowedValues(of, schema);
    if (!allowed || to - from > 1024) return;
    const value = parseJson(text.slice(from, to)) as string;
    if (allowed.includes(value)) return;
    const wanted = value.trim().toLowerCase();
    const alike = allowed.filter(
      (one): one is string => typeof one === 'string' && one.trim().toLowerCase() === wanted,
    );
    if (alike.length !== 1) return;
    mend('match-enum');
    edits.push({ from, to, json: quoted(alike[0] as string) });
  }
}

const isIntegral = (text: string): boolean => text.length < 400 && Number.isInteger(Number(text));

function kindOf(text: string, from: number, to: number): JsonType {
  switch (text[from]) {
    case '"':
      return 'string';
    case '{':
      return 'object';
    case '[':
      return 'array';
    case 't':
    case 'f':
      return 'boolean';
    case 'n':
      return 'null';
    default:
      return to - from < 400 && integer.test(text.slice(from, to)) ? 'integer' : 'number';
  }
}

/** A value as another type, if that is certain enough. */
function convert(
  text: string,
  kind: JsonType,
  types: ReadonlySet<JsonType>,
  of: JsonValue,
  root: JsonObject,
): { json: string; rule: Rule } | undefined {
  if (kind === 'string') {
    const value = parseJson(text) as string;
    const scalar = scalarFromText(value.trim(), types);
    if (scalar !== undefined) return { json: scalar, rule: 'retype-scalar' };
    const nested = nestedFromText(value, types);
    if (nested !== undefined) return { json: nested, rule: 'parse-nested' };
  } else if (
    types.has('string') &&
    !types.has('array') &&
    (kind === 'integer' || kind === 'number' || kind === 'boolean')
  ) {
    return { json: `"${text}"`, rule: 'retype-scalar' };
  }
  if (types.has('array') && kind !== 'array' && kind !== 'null') {
    const items = allowedTypes(itemSchema(of, root), root);
    if (items.has(kind)) return { json: `[${text}]`, rule: 'wrap-in-array' };
  }
  return undefined;
}

/** "`20`" where a number belongs; undefined if the text is no such scalar. */
export function scalarFromText(text: string, types: ReadonlySet<JsonType>): string | undefined {
  if (types.has('null') && text === 'null') return text;
  if (types.has('integer') && integer.test(text)) return text;
  if (types.has('integer') && /^-?\d+\.0+$/.test(text)) return text.replace(/\.0+$/, '').replace(/^(-?)0+(?=\d)/, '$1');
  if (types.has('number') && number.test(text)) return text;
  if (types.has('boolean') && /^(?:true|false)$/i.test(text)) return text.toLowerCase();
  return undefined;
}

/** An object or list that stands in a text; undefined if it is none. */
export function nestedFromText(text: string, types: ReadonlySet<JsonType>): string | undefined {
  const trimmed = text.trim();
  const wanted = (trimmed[0] === '{' && types.has('object')) || (trimmed[0] === '[' && types.has('array'));
  if (!wanted) return undefined;
  return parseLooseJson(trimmed)?.json;
}
