const short: Record<string, string> = {
  '"': '\\"',
  '\\': '\\\\',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

/** One character as it stands inside a JSON string. */
export const escapeChar = (char: string): string =>
  short[char] ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Text as it stands inside a JSON string, without the quotes. Unlike `JSON.stringify` it leaves lone surrogates, so that a pair may come in two pieces. */
export function escapeText(text: string): string {
  let out = '';
  let copied = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code !== 34 && code !== 92 && code >= 32) continue;
    out += text.slice(copied, at) + escapeChar(text.charAt(at));
    copied = at + 1;
  }
  return copied === 0 ? text : out + text.slice(copied);
}

/** Text as a JSON string. */
export const quoted = (text: string): string => `"${escapeText(text)}"`;

const entities: Record<string, string> = { lt: '<', gt: '>', quot: '"', apos: "'", '#39': "'", '#34': '"', amp: '&' };

/** Undoes HTML escapes once. */
export const unescapeMarkup = (text: string): string =>
  text.replace(/&(lt|gt|quot|apos|#39|#34|amp);/g, (_, name: string) => entities[name] as string);
