import type { Part } from '@callsmith/turn';

// Chat templates take no pictures among results: they stand in the user message behind.

/** What stands in a result in the place of a picture or file. */
export const imageMovedNote = '[picture or file: see the next message]';

/** What stands before the pictures and files of results. */
export const imagesFollowNote: Part = { type: 'text', text: 'From the tool results above:' };
