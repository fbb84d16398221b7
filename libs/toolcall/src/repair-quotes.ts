import { isObject, type Tool } from '@callsmith/turn';
import type { Rule } from './rules.ts';
import { behindSpace } from './space.ts';

const anyKey = /^[\w.$-]{1,64}$/;

/** Characters that models write in place of JSON's punctuation, outside strings. */
const punctuation: Record<string, string> = {
  ';': ',',
  '；': ',',
  '，': ',',
  '、': ',',
  '：': ':',
  '｛': '{',
  '｝': '}',
  '［': '[',
  '］': ']',
};

/** The character at an index, or the JSON punctuation that it replaces; empty after the end. */
function charAt(text: string, at: number): string {
  const char = text[at] ?? '';
  // The semicolon is the only ASCII character in the table, so most characters need no lookup.
  return char !== ';' && char < '\x7f' ? char : (punctuation[char] ?? char);
}

/** An object with its inner quotes escaped, and how much of the text it occupies. */
export interface RepairedQuotes {
  readonly text: string;
  readonly length: number;
  readonly rules: readonly Rule[];
}

/**
 * Escapes quotes inside the strings of the object at the start of a complete text: a quote closes a string only if
 * valid JSON with a key of the tool follows. Triple quotes may delimit a string. Before such a key the comma may be
 * missing or replaced by another character. Undefined if that repaired nothing.
 *
 *     {"text": "say "hi" twice"}        read
 *     {"text": "say \"hi\" twice"}      returned
 */
export function repairQuotes(text: string, tool: Tool | undefined): RepairedQuotes | undefined {
  const properties = tool?.parameters?.properties;
  const known = isObject(properties) ? properties : undefined;
  const stack: string[] = [];
  const parts: string[] = [];
  let copied = 0;
  const rules = new Set<Rule>();
  let key = false;
  let at = 0;
  /** Replaces a range of the text. */
  const replace = (from: number, to: number, instead: string): void => {
    parts.push(text.slice(copied, from), instead);
    copied = to;
  };
  for (; at < text.length; at++) {
    const char = charAt(text, at);
    if (char !== text[at]) {
      replace(at, at + 1, char);
      rules.add('add-commas');
    }
    if (char === '{' || char === '[') {
      stack.push(char);
      key = char === '{';
    } else if (char === '}' || char === ']') {
      stack.pop();
      if (stack.length === 0) break;
      key = false;
    } else if (char === ',') {
      key = stack.at(-1) === '{';
    } else if (char === ':') {
      key = false;
    } else if (char === '"') {
      const triple = key ? -1 : endOfTripleQuoted(text, at, stack, known);
      if (triple > 0) {
        replace(at, triple + 3, `"${escapeQuotes(text.slice(at + 3, triple))}"`);
        at = triple + 2;
        rules.add('escape-inner-quotes');
        continue;
      }
      const start = at + 1;
      let inner = false;
      for (at++; at < text.length; at++) {
        if (text[at] === '\\') at++;
        else if (text[at] === '"') {
          if (closes(text, at, key, stack, known)) break;
          inner = true;
        }
      }
      if (at >= text.length) return undefined;
      if (inner) {
        replace(start, at, escapeQuotes(text.slice(start, at)));
        rules.add('escape-inner-quotes');
      }
      if (!key && charAt(text, skipSpace(text, at + 1)) === '"') {
        replace(at + 1, at + 1, ',');
        rules.add('add-commas');
        key = true;
      }
    }
  }
  if (rules.size === 0 || at >= text.length) return undefined;
  parts.push(text.slice(copied, at + 1));
  return { text: parts.join(''), length: at + 1, rules: [...rules] };
}

/** Escapes the quotes that are not escaped yet. */
const escapeQuotes = (text: string): string => text.replace(/\\[\s\S]|"/g, (found) => (found === '"' ? '\\"' : found));

/** How many candidate ends of a triple-quoted string are tried. */
const mostTripleEnds = 16;

/** The index of the quotes that end a triple-quoted string (as in Python) which begins here; -1 if there are none. */
function endOfTripleQuoted(text: string, at: number, stack: readonly string[], known: object | undefined): number {
  if (!text.startsWith('"""', at)) return -1;
  let end = at + 2;
  for (let looked = 0; looked < mostTripleEnds; looked++) {
    end = text.indexOf('"""', end + 1);
    if (end < 0) return -1;
    if (closes(text, end + 2, false, stack, known)) return end;
  }
  return -1;
}

/** True if the quote at `at` can end its string. */
function closes(text: string, at: number, key: boolean, stack: readonly string[], known: object | undefined): boolean {
  const next = skipSpace(text, at + 1);
  const char = charAt(text, next);
  if (key) return char === ':';
  const top = stack.at(-1);
  if (char === '}' || char === ']') {
    if ((char === '}') !== (top === '{')) return false;
    const behind = charAt(text, skipSpace(text, next + 1));
    return behind === '' || '}],<['.includes(behind);
  }
  if (char === ',') {
    const value = skipSpace(text, next + 1);
    return top === '[' ? /["{[\d\-tfn]/.test(text[value] ?? '') : keyAt(text, value, stack, known);
  }
  // Only a parameter's name proves that the comma is missing.
  return char === '"' && stack.length === 1 && known !== undefined && keyAt(text, next, stack, known);
}

/** True if a key of the object and its colon begin here. */
function keyAt(text: string, at: number, stack: readonly string[], known: object | undefined): boolean {
  if (text[at] !== '"') return false;
  const end = text.indexOf('"', at + 1);
  if (end < 0 || end - at > 65 || charAt(text, skipSpace(text, end + 1)) !== ':') return false;
  const name = text.slice(at + 1, end);
  return stack.length === 1 && known !== undefined ? Object.hasOwn(known, name) : anyKey.test(name);
}

/** The index after the white space at `from`, of which at most 256 characters are skipped. */
const skipSpace = (text: string, from: number): number => behindSpace(text, from, from + 256);
