/** What `\s` matches. */
const isSpaceCode = (code: number): boolean =>
  code === 32 || (code >= 9 && code <= 13) || (code >= 160 && /\s/.test(String.fromCharCode(code)));

/** The index after the white space at `from`; at most `to`. */
export function behindSpace(text: string, from: number, to: number): number {
  let at = from;
  while (at < text.length && at < to && isSpaceCode(text.charCodeAt(at))) at++;
  return at;
}
