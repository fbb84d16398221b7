/** A value as JSON with one property a line. */
export const pretty = (value: unknown): string => JSON.stringify(value, null, 2) ?? '';

/** A text of JSON with one property a line; other text unchanged. */
export function prettyText(text: string): string {
  try {
    return pretty(JSON.parse(text));
  } catch {
    return text;
  }
}
