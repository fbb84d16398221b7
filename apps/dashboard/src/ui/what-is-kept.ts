import { plural } from '../lib/format.ts';

/** For the holder of a key: how long what is said with it is kept, and who may read it. */
export const whatIsKept = (key: { teamName: string; storesBodies: boolean }, days: number): string =>
  key.storesBodies
    ? `What was said in failed turns, and in a share of the others, is kept for ${plural(days, 'day')}; admins and the editors of ${key.teamName} may read it.`
    : `Nothing of what is said with keys of ${key.teamName} is kept, only figures.`;
