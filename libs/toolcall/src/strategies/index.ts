export * from './choose.ts';
export { wordJoiner } from './escape-markers.ts';
export { escaperFor } from './live-markers.ts';
export { type PreparedTurn, prepareTurn } from './prepare-turn.ts';
export { preparePrompt } from './prompt.ts';
export { type RepairedHistory, type RepairHistoryOptions, repairHistory } from './repair-history.ts';
export { unescapeEvents } from './unescape-events.ts';
