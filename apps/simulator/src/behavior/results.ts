import { dialectNamed } from '@callsmith/toolcall';
import { isObject, type JsonValue, parseJson } from '@callsmith/turn';
import { between } from './between.ts';
import type { Form } from './forms.ts';

// How other gateways and clients wrap results in user text.
const wrappers = [
  ['<tool_response>', '</tool_response>'],
  ['<tool_result>', '</tool_result>'],
  ['[TOOL_RESULT]', '[END_TOOL_RESULT]'],
  ['<result>', '</result>'],
] as const;

/** Splits the results of `count` calls that came as text; if that is impossible each call gets the whole text. */
export function partResults(texts: readonly string[], count: number, form: Form | undefined): string[] {
  const whole = texts.join('\n');
  const own = form && ownResults(form, whole);
  if (own !== undefined && own.length === count) return own;
  if (texts.length > 1 && texts.length === count) return texts.map(plainResult);
  for (const [open, close] of wrappers) {
    const wrapped = between(whole, open, close);
    if (wrapped.length === count) return wrapped.map((text) => plainResult(text.replace(/^\n|\n$/g, '')));
  }
  return Array.from({ length: count }, () => plainResult(whole));
}

/** The results in the dialect's own form; undefined if that form has no marker of its own. */
function ownResults(form: Form, whole: string): string[] | undefined {
  const dialect = dialectNamed(form.dialect);
  if (dialect === undefined) return undefined;
  const [one = '', after = ''] = dialect.renderResult({ callId: 'call_1a', name: 'first', text: inner }).split(inner);
  const [other = ''] = dialect.renderResult({ callId: 'functions.b:7', name: 'second', text: inner }).split(inner);
  // The parts that do not depend on the call's name or id: all of it, or the text before and after them.
  const head = commonStart(one, other);
  const tail = one === other ? '' : commonStart(reverse(one), reverse(other));
  if (head === '') return undefined;
  if (one.endsWith('"') && after.startsWith('"')) return quotedResults(whole, head, reverse(tail));
  // "Result of NAME:
  // …": only the next result ends it.
  const parts = after === '' ? openParts(whole, head) : between(whole, head, after);
  return parts.map((part) => (tail === '' ? part : part.slice(part.indexOf(reverse(tail)) + tail.length)));
}

const inner = 'TEXT';
const reverse = (text: string): string => [...text].reverse().join('');

function commonStart(one: string, other: string): string {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  return one.slice(0, at);
}

function openParts(whole: string, head: string): string[] {
  const parts = whole.split(head).slice(1);
  return parts.map((part, at) => (at === parts.length - 1 ? part : part.replace(/\n$/, '')));
}

function quotedResults(whole: string, head: string, tail: string): string[] {
  const gap = tail === '' ? '' : `[^\\n]{0,200}?${literal(tail)}`;
  const pattern = new RegExp(`${literal(head)}${gap}((?:[^"\\\\]|\\\\.)*)"`, 'g');
  return [...whole.matchAll(pattern)].map((match) => unquote(match[1] ?? ''));
}

const literal = (text: string): string => text.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&');

function unquote(text: string): string {
  const value = parseJson(`"${text}"`);
  return typeof value === 'string' ? value : text;
}

/**
 * The content of a result. Cline 3 sends it as a JSON string, `[{"query":…,"result":…,"success":true}]`; its classic
 * core as `[read_file for 'x'] Result:` and a line break.
 */
export function plainResult(text: string): string {
  const value = parseJson(text);
  const results = (Array.isArray(value) ? value : [value]).filter(isObject);
  const known =
    results.length > 0 && results.every((entry) => 'success' in entry && ('result' in entry || 'error' in entry));
  if (!known) return text.replace(/^\s*\[[^\]\n]*\] Result:\s*/, '');
  return results
    .map((entry) => (entry.success === false ? `Error: ${textOf(entry.error ?? entry.result)}` : textOf(entry.result)))
    .join('\n');
}

const textOf = (value: JsonValue | undefined): string =>
  typeof value === 'string' ? value : JSON.stringify(value ?? '');
