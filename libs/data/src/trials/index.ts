export { lastFailures } from './failed-turns.ts';
export type { TrialTarget } from './trial-target.ts';
export {
  cancelTrial,
  claimTrial,
  endTrial,
  findTrial,
  startTrial,
  storeTrialRows,
  type Trial,
} from './trials.ts';
