import type { Part } from '@callsmith/turn';

// Chat templates accept no images among results: they go to the following user message.

/** The placeholder in a result for an image or file. */
export const imageMovedNote = '[picture or file: see the next message]';

/** The text before the images and files of results. */
export const imagesFollowNote: Part = { type: 'text', text: 'From the tool results above:' };
