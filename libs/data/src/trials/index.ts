export { lastFailures } from './failed-turns.ts';
export type { TrialTarget } from './trial-target.ts';
export { cancelTrial, endTrial, findTrial, keepTrial, startTrial, type Trial, takeTrial } from './trials.ts';
