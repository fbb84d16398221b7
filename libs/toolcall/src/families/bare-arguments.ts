import { isObject } from '@callsmith/turn';
import type { PendingCall } from '../finalize/pending-call.ts';
import { findOneOf } from '../find.ts';
import { parseLooseJson } from '../parse-loose-json.ts';
import { longestWhole } from '../parse-whole.ts';
import type { Scanner, Step } from '../scanner.ts';
import { ArgumentsWriter, jsonFromRaw } from './arguments-writer.ts';

/**
 * Parses the arguments of a call that ends its line, with unquoted values, from after the bracket:
 *
 *     Tool: write_file(path=/tmp/a, content="one", mode=fast)⏎
 *                      ^ from
 *
 * Undefined: there are none, and the scanner's position is then unspecified.
 */
export function* takeBareArguments(scan: Scanner, call: PendingCall, from: number): Step<string | undefined> {
  if (!(yield* findOneOf(scan, ['\n'])) && scan.offset - from >= longestWhole) return undefined;
  const line = scan.since(from).trimEnd();
  if (!line.endsWith(')')) return undefined;
  const inner = line.slice(0, -1);
  if (!isBalanced(inner)) return undefined;
  const json = bareArguments(inner, call);
  if (json === undefined) return undefined;
  scan.back(scan.offset - from - line.length);
  return json;
}

/**
 * `a=one, b: 2` as JSON, split at the names of the tool's parameters; a colon counts only if these are known.
 * Undefined: it has another form, only declares types (`a: string, b: int`), or `isOther` is true for a value without
 * quotes.
 */
export function bareArguments(
  inner: string,
  call: PendingCall,
  isOther: (raw: string, key: string) => boolean = () => false,
): string | undefined {
  const properties = call.tool?.parameters?.properties;
  const known = isObject(properties) ? properties : undefined;
  const sign = known ? '\\s*(?:=(?!=)|:(?!:))[ \\t]*' : '\\s*=(?!=)[ \\t]*';
  const out = new ArgumentsWriter(call);
  const json: string[] = [];
  const keys = new Set<string>();
  const isKey = (key: string) => !keys.has(key) && (!known || Object.hasOwn(known, key));
  const begin = new RegExp(`[\\s,]*(["']?)([A-Za-z_][\\w-]*)\\1${sign}`, 'y');
  const next = new RegExp(`,\\s*(["']?)([A-Za-z_][\\w-]*)\\1${sign}`, 'g');
  let onlyTypeNames = true;
  for (let at = 0; inner.slice(at).trim() !== ''; ) {
    begin.lastIndex = at;
    const key = begin.exec(inner)?.[2];
    if (key === undefined || !isKey(key)) return undefined;
    keys.add(key);
    const value = valueAt(inner, begin.lastIndex, next, isKey);
    const raw = inner.slice(begin.lastIndex, value.to).trim();
    // A value that looks like a call is not text.
    if (raw === '' || /^[A-Za-z_][\w.]*\(/.test(raw)) return undefined;
    if (value.quoted === undefined && isOther(raw, key)) return undefined;
    onlyTypeNames &&= typeWord.test(raw);
    json.push(`${JSON.stringify(key)}: ${value.quoted ?? jsonFromRaw(raw, out.typesOf(key), undefined)}`);
    at = value.to;
  }
  return json.length === 0 || onlyTypeNames ? undefined : `{${json.join(', ')}}`;
}

/** A type, as in signatures: `string`, `list[str]`, `string[]`. */
const typeWord = /^(?:str(?:ing)?|int(?:eger)?|float|number|bool(?:ean)?|object|array|dict|list|any)(?:\[[^\]]*\])?$/i;

/** End of the value that begins at `from`, and its JSON if it is quoted. */
function valueAt(
  inner: string,
  from: number,
  next: RegExp,
  isKey: (key: string) => boolean,
): { to: number; quoted?: string } {
  const string = /"(?:[^"\\]|\\.)*"(?=\s*(?:,|$))|'(?:[^'\\]|\\.)*'(?=\s*(?:,|$))/y;
  string.lastIndex = from;
  const quoted = string.exec(inner)?.[0];
  const json = quoted === undefined ? undefined : parseLooseJson(quoted)?.json;
  if (json !== undefined) return { to: string.lastIndex, quoted: json };
  for (const found of inner.slice(from).matchAll(next))
    if (isKey(found[2] as string)) return { to: from + found.index };
  return { to: inner.length };
}

/** True if the brackets match. */
function isBalanced(text: string): boolean {
  let depth = 0;
  for (const char of text.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, '')) {
    if (char === '(') depth++;
    else if (char === ')' && --depth < 0) return false;
  }
  return depth === 0;
}
