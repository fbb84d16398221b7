import type { Content, Part } from '@callsmith/turn';

/** True for a text part in the form of chat completions, which is the neutral one. */
export const isText = (part: Part | undefined): part is Part & { readonly type: 'text'; readonly text: string } =>
  part?.type === 'text' && typeof part.text === 'string';

/** Parts as content: a single text is a string, and no parts are null. */
export function contentOf(parts: readonly Part[]): Content {
  const [first] = parts;
  if (first === undefined) return null;
  return parts.length === 1 && isText(first) && first.cache_control === undefined ? first.text : parts;
}
