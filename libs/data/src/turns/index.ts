export { clustersOf, type FailureCluster } from './clusters.ts';
export { type FacetValue, facetsOf } from './facets.ts';
export { failureHistory, type SeenValueCount } from './failure-history.ts';
export {
  type FailureWorkRow,
  findFailureWork,
  modelChanges,
  peopleOf,
  putFailureWork,
  visitFailures,
} from './failure-work.ts';
export { type FailureGroup, hasWords, type TurnFilter } from './filter.ts';
export { findTurn, listTurns, pageOfTurns, type TurnRow } from './list.ts';
export { bodyOf, callsOf } from './show.ts';
