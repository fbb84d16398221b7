/** @internal Tests rank by rows of their own. */
export type { ArmRow } from './arm-result.ts';
export { armResult } from './arm-result.ts';
/** @internal Tests answer as it is expected. */
export type { Expectation } from './cases/probe-case.ts';
export { judge, type ProbeAnswer } from './judge.ts';
export { recommend } from './recommend.ts';
/** @internal */
export type { ProbeSize } from './rounds.ts';
export { caseTitles, type ProbeQuestion, probeQuestions, wantsCall } from './rounds.ts';
export { type RateInterval, wilson } from './statistics/wilson.ts';
