const short: Record<string, string> = {
  '"': '\\"',
  '\\': '\\\\',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

/** One character, escaped for a JSON string. */
export const escapeChar = (char: string): string =>
  short[char] ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;

/**
 * Text, escaped for a JSON string, without the quotes. Unlike `JSON.stringify` it keeps lone surrogates, as the two
 * halves of a pair may arrive in two pieces.
 */
export function escapeText(text: string): string {
  if (text.length < 32 && isPlain(text)) return text;
  if (!/["\\\p{Cc}]/u.test(text)) return text;
  // Not character by character: a long text would leave millions of small strings on the heap.
  if (text.isWellFormed()) return JSON.stringify(text).slice(1, -1);
  return text.replace(/["\\\p{Cc}]/gu, (char) => (char < '\x7f' ? escapeChar(char) : char));
}

/** Printable ASCII without quotes and backslashes. For short texts this loop is faster than a regular expression. */
function isPlain(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 32 || code > 126 || code === 34 || code === 92) return false;
  }
  return true;
}

/** Text as a JSON string. */
export const quoted = (text: string): string => `"${escapeText(text)}"`;

/** The ampersand comes last, as it is part of the others: `&amp;lt;` is `&lt;`. */
const entities = [
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
  ['&apos;', "'"],
  ['&#39;', "'"],
  ['&#34;', '"'],
  ['&amp;', '&'],
] as const;

/** Decodes HTML entities once. */
export function unescapeMarkup(text: string): string {
  if (!text.includes('&')) return text;
  // Not with a pattern and a function: in a text of entities that takes ten times as long.
  return entities.reduce((decoded, [entity, char]) => decoded.replaceAll(entity, char), text);
}
