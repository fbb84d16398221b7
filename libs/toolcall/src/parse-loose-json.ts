import { isObject, parseJson, type Tool } from '@callsmith/turn';
import { JsonParser } from './json-parser.ts';
import { longestWhole, parseWhole } from './parse-whole.ts';
import { repairQuotes } from './repair-quotes.ts';
import type { Rule } from './rules.ts';
import { runWhole, Scanner } from './scanner.ts';

/** A complete text parsed as one JSON-like value. */
export interface LooseJson {
  readonly json: string;
  readonly rules: readonly Rule[];
  /** Characters that the value occupies. */
  readonly length: number;
}

/**
 * Parses one JSON-like value from the start of a complete text; undefined if it is not one, or too long. With
 * `trailing` other text may follow; else only surplus closing brackets may.
 */
export function parseLooseJson(text: string, tool?: Tool, trailing = false, python = false): LooseJson | undefined {
  if (text.length > longestWhole) return undefined;
  const inside = decodeEscaped(text);
  if (inside !== undefined) return { json: inside, rules: ['decode-arguments'], length: text.length };
  const read = readValue(text, python);
  const rest = read && text.slice(read.length);
  // `{"text": "say "}" twice"}`: if a string continues after the value, an inner quote had ended it too early.
  if (read === undefined || rest === undefined || /^\s*[":]/.test(rest))
    return parseWithRepairedQuotes(text, tool, trailing) ?? (trailing ? read : undefined);
  return trailing ? read : withoutClosers(read, rest);
}

/** `{\"path\": \"a.ts\"}`: a string's content without its quotes; undefined if the text is not such an object. */
export function decodeEscaped(text: string): string | undefined {
  if (!/^\s*\{\s*\\"/.test(text) || text.length > longestWhole) return undefined;
  const inside = parseJson(`"${text.trim()}"`);
  return typeof inside === 'string' && isObject(parseWhole(inside)) ? inside : undefined;
}

/** Parses an object whose inner quotes are not escaped. */
export function parseWithRepairedQuotes(
  text: string,
  tool: Tool | undefined,
  trailing: boolean,
): LooseJson | undefined {
  const repaired = text.length > longestWhole ? undefined : repairQuotes(text, tool);
  const read = repaired && readValue(repaired.text, false);
  if (!read) return undefined;
  const rest = repaired.text.slice(read.length);
  const whole = trailing ? read : withoutClosers(read, rest);
  return whole && { json: whole.json, rules: [...whole.rules, ...repaired.rules], length: repaired.length };
}

function readValue(text: string, python: boolean): LooseJson | undefined {
  const scan = new Scanner();
  scan.push(text);
  scan.end();
  const parts: string[] = [];
  const rules = new Set<Rule>();
  const value = new JsonParser(scan, { out: (json) => parts.push(json), repair: (rule) => rules.add(rule), python });
  const complete = runWhole(scan.feedConsumer(value)) || value.finishBare();
  return complete && !value.broken ? { json: parts.join(''), rules: [...rules], length: scan.at } : undefined;
}

/** The value, if only surplus closing brackets follow it. */
function withoutClosers(read: LooseJson, rest: string): LooseJson | undefined {
  if (/[^\s}\]]/.test(rest)) return undefined;
  return rest.trim() === '' ? read : { ...read, rules: [...read.rules, 'drop-closers'] };
}
