export { answerMismatch } from './answer-format.ts';
export * from './choose.ts';
export { escaperFor } from './live-markers.ts';
export { prepareTurn } from './prepare-turn.ts';
export { preparePrompt } from './prompt.ts';
/** @internal The strategies repair by themselves; tests of recorded requests look at it alone. */
export { repairHistory } from './repair-history.ts';
export { unescapeEvents } from './unescape-events.ts';
