import { dialectNamed } from '@callsmith/toolcall';
import { isObject, type JsonValue, parseJson } from '@callsmith/turn';
import type { Form } from './forms.ts';

// How other gateways and clients wrap results in user text.
const wrapper =
  /<tool_(response|result|output)\b[^>]*>\n?([\s\S]*?)\n?<\/tool_\1>|\[TOOL_RESULT\]\n?([\s\S]*?)\n?\[END_TOOL_RESULT\]|<result>\n?([\s\S]*?)\n?<\/result>/g;

/** Parts the results of `count` calls that came as text; where they cannot be parted each call gets all. */
export function partResults(texts: readonly string[], count: number, form: Form | undefined): string[] {
  const whole = texts.join('\n');
  const own = form && ownResults(form, whole);
  if (own !== undefined && own.length === count) return own;
  if (texts.length > 1 && texts.length === count) return texts.map(plainResult);
  const wrapped = [...whole.matchAll(wrapper)].map((match) => match[2] ?? match[3] ?? match[4] ?? '');
  if (wrapped.length === count) return wrapped.map(plainResult);
  return Array.from({ length: count }, () => plainResult(whole));
}

/** The results written in the dialect's own way. */
function ownResults(form: Form, whole: string): string[] | undefined {
  const dialect = dialectNamed(form.dialect);
  const [before = '', after = ''] =
    dialect?.writeResult({ callId: 'ID1', name: 'NAME1', text: 'TEXT1' }).split('TEXT1') ?? [];
  if (before === '') return undefined;
  const quoted = before.endsWith('"') && after.startsWith('"');
  const inner = quoted ? '(?:[^"\\\\]|\\\\.)*' : '[\\s\\S]*?';
  const pattern = `${literal(before)}(${inner})${after === '' ? `(?=\\n?${literal(before)}|$)` : literal(after)}`;
  return [...whole.matchAll(new RegExp(pattern, 'g'))].map((match) =>
    quoted ? unquote(match[1] ?? '') : (match[1] ?? ''),
  );
}

const literal = (text: string): string => text.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&').replace(/NAME1|ID1/g, '[^\\n]*?');

function unquote(text: string): string {
  const value = parseJson(`"${text}"`);
  return typeof value === 'string' ? value : text;
}

/**
 * What a result says. Cline 3 gives it as a JSON string, `[{"query":…,"result":…,"success":true}]`; its classic core as
 * `[read_file for 'x'] Result:⏎…`.
 */
export function plainResult(text: string): string {
  const value = parseJson(text);
  const results = (Array.isArray(value) ? value : [value]).filter(isObject);
  const known =
    results.length > 0 && results.every((entry) => 'success' in entry && ('result' in entry || 'error' in entry));
  if (!known) return text.replace(/^\s*\[[^\]\n]*\] Result:\s*/, '');
  return results
    .map((entry) => (entry.success === false ? `Error: ${say(entry.error ?? entry.result)}` : say(entry.result)))
    .join('\n');
}

const say = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : JSON.stringify(value ?? ''));
