import { plural } from '../lib/format.ts';

/** Tells the owner of a key how long its messages are stored and who can read them. */
export const retentionNote = (key: { teamName: string; storesBodies: boolean }, days: number): string =>
  key.storesBodies
    ? `Messages of failed requests and of a sample of the others are stored for ${plural(days, 'day')}; admins and editors of ${key.teamName} can read them.`
    : `No messages are stored for keys of ${key.teamName}, only metrics.`;
