export * from './choose.ts';
export {
  type MarkerEscaper as Neutraliser,
  markerEscaper as neutraliser,
  wordJoiner as joiner,
} from './escape-markers.ts';
export { escaperFor as markersOf } from './live-markers.ts';
export { prepareNative as shapeNative } from './native.ts';
export { type PreparedTurn as Shaped, prepareTurn as shape } from './prepare-turn.ts';
export { hindrances, preparePrompt as shapePrompt } from './prompt.ts';
export {
  type RepairedHistory as Mended,
  type RepairHistoryOptions as Mending,
  repairHistory as mendHistory,
} from './repair-history.ts';
export { unescapeEvents as restoreEvents } from './unescape-events.ts';
