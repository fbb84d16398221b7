import { parseJson } from '@callsmith/turn';
import { quoted } from '../escape.ts';
import { parseLooseJson } from '../parse-loose-json.ts';
import { parseWhole } from '../parse-whole.ts';
import type { Rule } from '../rules.ts';
import type { JsonType } from './schema.ts';

const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const integer = /^-?(?:0|[1-9]\d*)$/;

/** A value converted to another JSON type, and the rule of that repair. */
export interface ConvertedValue {
  readonly json: string;
  readonly rule: Rule;
}

/** The type of the strict JSON value `text`, by its first character. */
export function typeOfText(text: string): JsonType {
  switch (text[0]) {
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
      return text.length < 400 && integer.test(text) ? 'integer' : 'number';
  }
}

/**
 * Converts the strict JSON value `text` to one of `types`, if that is certain enough; `itemTypes` are those of a list's
 * elements.
 */
export function convertValue(
  text: string,
  types: ReadonlySet<JsonType>,
  itemTypes: ReadonlySet<JsonType>,
): ConvertedValue | undefined {
  const type = typeOfText(text);
  if (type === 'string') {
    const value = parseJson(text) as string;
    const scalar = scalarFromText(value.trim(), types);
    if (scalar !== undefined) return { json: scalar, rule: 'retype-scalar' };
    const nested = nestedFromText(value, types);
    if (nested !== undefined) return { json: nested, rule: 'parse-nested' };
  } else if (types.has('string') && !types.has('array')) {
    if (type === 'integer' || type === 'number' || type === 'boolean')
      return { json: `"${text}"`, rule: 'retype-scalar' };
    if (isStructure(text)) return { json: quoted(text), rule: 'value-as-text' };
  }
  if (types.has('array') && type !== 'array' && type !== 'null' && itemTypes.has(type))
    return { json: `[${text}]`, rule: 'wrap-in-array' };
  return undefined;
}

/** An object, or a list of objects, as a file may hold it. A list of plain values is too weak a sign. */
const isStructure = (text: string): boolean => /^(?:\{|\[\s*\{)/.test(text);

/** "`20`" where a number is expected; undefined if the text is no such scalar. */
export function scalarFromText(text: string, types: ReadonlySet<JsonType>): string | undefined {
  if (types.has('null') && text === 'null') return text;
  if (types.has('integer') && integer.test(text)) return text;
  if (types.has('integer') && /^-?\d+\.0+$/.test(text)) return text.replace(/\.0+$/, '').replace(/^(-?)0+(?=\d)/, '$1');
  if (types.has('number') && number.test(text)) return text;
  if (types.has('boolean') && /^(?:true|false)$/i.test(text)) return text.toLowerCase();
  return undefined;
}

/** An object or list that is encoded in a string; undefined if it is neither. */
function nestedFromText(text: string, types: ReadonlySet<JsonType>): string | undefined {
  const trimmed = text.trim();
  const wanted = (trimmed[0] === '{' && types.has('object')) || (trimmed[0] === '[' && types.has('array'));
  if (!wanted) return undefined;
  return parseWhole(trimmed) === undefined ? parseLooseJson(trimmed)?.json : trimmed;
}
