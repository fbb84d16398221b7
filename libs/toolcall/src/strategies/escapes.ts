/**
 * JSON text whose strings hold no escape that could hide a marker: `\/` and `\u003c` become the characters they mean.
 * Quotes, backslashes, control characters and lone surrogates stay escaped. The value is the same.
 */
export function plainEscapes(json: string): string {
  if (!json.includes('\\')) return json;
  return json.replace(
    /\\(?:u([0-9a-fA-F]{4})|(.))/gs,
    (whole: string, hex: string | undefined, kind: string | undefined) => {
      if (kind !== undefined) return kind === '/' ? '/' : whole;
      const code = Number.parseInt(hex ?? '0', 16);
      const stays = code < 0x20 || code === 0x22 || code === 0x5c || (code >= 0xd800 && code <= 0xdfff);
      return stays ? whole : String.fromCharCode(code);
    },
  );
}
