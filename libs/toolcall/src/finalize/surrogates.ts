/** The first half of a surrogate pair at the end of `text`, which must wait for the other half; '' if there is none. */
export function trailingHighSurrogate(text: string): string {
  const code = text.charCodeAt(text.length - 1);
  return code >= 0xd800 && code <= 0xdbff ? text.slice(-1) : '';
}
