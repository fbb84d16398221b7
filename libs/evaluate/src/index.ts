/** @internal Tests rank their own rows. */
export type { ArmRow } from './arm-result.ts';
export { armResult } from './arm-result.ts';
export { type Decision, decide, formName } from './auto/decide.ts';
export { isSameForm, type ProbeFound, type StrategyForm } from './auto/evidence.ts';
/** @internal Tests give the expected answers. */
export type { Expectation } from './cases/probe-case.ts';
export { examplesHelp } from './examples-help.ts';
export { judgeExperiment } from './experiment.ts';
export { judge, type ProbeAnswer } from './judge.ts';
export { probeRequests } from './probe-requests.ts';
export { recommend } from './recommend.ts';
export { type BfclCases, bfclClasses, readBfcl } from './recordings/bfcl.ts';
export { readJsonLines } from './recordings/json-lines.ts';
export { judgeReply, type ReplyVerdict } from './recordings/judge-reply.ts';
export { readK2VendorVerifier } from './recordings/k2-vendor-verifier.ts';
export { replyOf } from './recordings/message.ts';
export type { ReadRecordings, Recording, Reply } from './recordings/recording.ts';
export { type Transcript, transcriptCases } from './recordings/transcript-cases.ts';
export { readTranscripts } from './recordings/transcripts.ts';
export type { ProbeSize } from './rounds.ts';
/** @internal `furtherQuestions`: the test of the probe's job uses it to know which questions a probe adds. */
export {
  caseTitles,
  furtherQuestions,
  type ProbeQuestion,
  probeQuestions,
  type SavedCases,
  wantsCall,
} from './rounds.ts';
export { type RateInterval, wilson } from './statistics/wilson.ts';
