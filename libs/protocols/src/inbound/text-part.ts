import type { Part } from '@callsmith/turn';

/** True for a text part in the form of chat completions, which is our own. */
export const isText = (part: Part | undefined): part is Part & { readonly type: 'text'; readonly text: string } =>
  part?.type === 'text' && typeof part.text === 'string';
