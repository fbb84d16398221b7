export { lastFailures } from './failed-turns.ts';
export type { TrialAnswer, TrialRow, TrialTarget } from './trial-rows.ts';
export { cancelTrial, endTrial, findTrial, keepTrial, startTrial, type Trial, takeTrial } from './trials.ts';
