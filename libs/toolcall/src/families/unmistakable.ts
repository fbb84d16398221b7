import type { OpeningMarker } from '../dialect.ts';

/** True if the marker always begins a call: it does not occur in prose, and needs no repair. */
export const isUnmistakable = ({ text, at, ambiguous, onlyWithOfferedName, rule }: OpeningMarker): boolean =>
  text !== '' && at === 'anywhere' && !ambiguous && !onlyWithOfferedName && rule === undefined;
