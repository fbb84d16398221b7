import type { OpeningMarker } from '../dialect.ts';

/** True if a call begins wherever the marker stands: no prose holds it, and no repair makes a call of it. */
export const isUnmistakable = ({ text, at, ambiguous, onlyWithOfferedName, rule }: OpeningMarker): boolean =>
  text !== '' && at === 'anywhere' && !ambiguous && !onlyWithOfferedName && rule === undefined;
