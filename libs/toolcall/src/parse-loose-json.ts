import type { Tool } from '@callsmith/turn';
import { JsonParser } from './json-parser.ts';
import { repairQuotes } from './repair-quotes.ts';
import type { Rule } from './rules.ts';
import { runWhole, Scanner } from './scanner.ts';

/** A whole text read as one JSON-like value. */
export interface LooseJson {
  readonly json: string;
  readonly rules: readonly Rule[];
  /** Characters that the value took. */
  readonly length: number;
}

/**
 * Reads one JSON-like value from the start of a whole text; undefined if it is none.
 * With `trailing` other text may follow; else only surplus closers may.
 */
export function parseLooseJson(text: string, tool?: Tool, trailing = false, python = false): LooseJson | undefined {
  return readOnce(text, trailing, python) ?? readMended(text, tool, trailing);
}

function readOnce(text: string, trailing: boolean, python: boolean): LooseJson | undefined {
  const scan = new Scanner();
  scan.push(text);
  scan.end();
  const parts: string[] = [];
  const rules: Rule[] = [];
  const value = new JsonParser(scan, {
    out: (json) => parts.push(json),
    repair: (rule) => {
      if (!rules.includes(rule)) rules.push(rule);
    },
    python,
  });
  const complete = runWhole(scan.feedConsumer(value)) || value.finishBare();
  if (!complete || value.broken) return undefined;
  const rest = text.slice(scan.at);
  if (!trailing && /[^\s}\]]/.test(rest)) return undefined;
  if (!trailing && rest.trim() !== '') rules.push('drop-closers');
  return { json: parts.join(''), rules, length: scan.at };
}

/** Reads an object whose inner quotes are not escaped. */
export function readMended(text: string, tool: Tool | undefined, trailing: boolean): LooseJson | undefined {
  const mended = repairQuotes(text, tool);
  if (mended === undefined) return undefined;
  const read = readOnce(mended.text, trailing, false);
  return read && { json: read.json, rules: [...read.rules, 'escape-inner-quotes'], length: mended.length };
}
