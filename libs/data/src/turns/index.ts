export { clustersOf } from './clusters.ts';
export { type FacetValue, facetsOf } from './facets.ts';
export { type FailureGroup, hasWords, type TurnFilter } from './filter.ts';
export { findTurn, listTurns, type TurnRow } from './list.ts';
export { bodyOf, callsOf } from './show.ts';
