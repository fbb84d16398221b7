export { answerMismatch } from './answer-format.ts';
export { type BriefTools, briefToolsInSteps } from './brief-tools.ts';
export * from './choose.ts';
export { correctionMessages } from './correction.ts';
export { type DelegatedTurn, decidingDialect, delegatedCalls, delegatedTurn } from './delegate.ts';
export { IntentParser } from './intent-parser.ts';
export { escaperFor } from './live-markers.ts';
/** @internal The gateway prepares requests in steps; tests and measurements do it at once. */
export { prepareTurn, prepareTurnInSteps } from './prepare-turn.ts';
export { briefLine, choiceLines, preparePrompt } from './prompt.ts';
export { repairPastArguments } from './repair-arguments.ts';
/** @internal The strategies call it themselves; tests of recorded requests use it alone. */
export { repairHistory } from './repair-history.ts';
export { shortTools } from './short-tools.ts';
export { constraintOf } from './strict.ts';
export { unescapeEvents } from './unescape-events.ts';
