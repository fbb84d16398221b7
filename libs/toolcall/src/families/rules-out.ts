import type { ToolTable } from '@callsmith/turn';
import { isBlank } from '../scanner.ts';
import { type JsonCallShape, roleOf } from './json-calls.ts';

/** Characters that are examined; what they do not decide is left to the grammar. */
const near = 160;
/** A short string without escapes. */
const plainString = /"[^"\\]{0,64}"/y;
/** `[WORD]` followed by something other than another call. */
const wordInBrackets = /\[[A-Za-z_]{1,64}\](?=[^\s{}\];,\u200b-\u200d\u2060\ufeff])/y;
/** Characters that neither begin a value or a key nor end one. */
const nothingBegins = /[<>;:]/;
/** The same where a key is expected. */
const noKeyBegins = /[<>;:[()|=*+&%@!?~^\\]/;
/** An unquoted key that is followed by neither a colon nor a comment. */
const loneWord = /[\w.$-]{1,64}[^\w.$\-:/#\s\u200b-\u200d\u2060\ufeff]/y;

/**
 * True if a cheap look-ahead proves that no JSON call begins at `at`, as in `{"name": <`. Failing in the grammar costs
 * fifty times as much, and a hostile answer is full of opening markers. False if the text ends before that is certain.
 */
export function rulesOutJsonCalls(text: string, at: number, { shape, tools }: JsonLookAhead): boolean {
  let position = skipBlanks(text, at);
  if (text[position] === '[') {
    if (startsAt(wordInBrackets, text, position) > 0) return true;
    position = skipBlanks(text, position + 1);
  }
  if (text[position] !== '{') return false;
  position = skipBlanks(text, position + 1);
  let named = false;
  while (position < text.length && position - at < near) {
    if (mayClose(text, position, shape)) return false;
    if (noKeyBegins.test(text[position] as string) || startsAt(loneWord, text, position) > 0) return true;
    const key = startsAt(plainString, text, position);
    if (key === 0) return false;
    const word = text.slice(position + 1, position + key - 1);
    position = skipBlanks(text, position + key);
    if (position >= text.length) return false;
    if (text[position] === '/' || text[position] === '#') return false;
    if (text[position] !== ':') return position - at < near;
    if (named) return false;
    const role = roleOf(word, shape);
    if (role === undefined) return position - at < near && shape.nameIsKey !== true && tools.get(word) === undefined;
    if (role !== 'name') return false;
    position = skipBlanks(text, position + 1);
    if (position >= text.length) return false;
    if (nothingBegins.test(text[position] as string) || startsAt(wordInBrackets, text, position) > 0)
      return position - at < near;
    const name = startsAt(plainString, text, position);
    if (name === 0) return false;
    named = true;
    position = skipBlanksAndCommas(text, position + name);
  }
  return false;
}

/** The calls to look for: of this shape, to these tools. */
export interface JsonLookAhead {
  readonly shape: JsonCallShape;
  readonly tools: ToolTable;
}

/** The first visible character from `at` on; undefined if none is near. */
export function nextVisibleChar(text: string, at: number): string | undefined {
  const position = skipBlanks(text, at);
  return position - at < near ? text[position] : undefined;
}

function skipBlanks(text: string, at: number): number {
  let position = at;
  while (position < text.length && position - at < near && isBlank(text[position] as string)) position++;
  return position;
}

function skipBlanksAndCommas(text: string, at: number): number {
  let position = skipBlanks(text, at);
  while (text[position] === ',' && position - at < near) position = skipBlanks(text, position + 1);
  return position;
}

/** True if a closing marker may be here, which would end the call early. */
const mayClose = (text: string, at: number, { closingMarkers }: JsonCallShape): boolean =>
  closingMarkers.some((marker) => marker.startsWith(text.slice(at, at + marker.length)));

/** Length of a sticky pattern's match at `at`; 0 if there is none. */
function startsAt(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex - at : 0;
}
