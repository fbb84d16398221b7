export type { ProbeArm, ProbeBudget, ProbeRow, SupportFound } from './probe-rows.ts';
export { EXAMPLES, type ProbedLesson, storeProbedLessons } from './probed-lessons.ts';
export {
  cancelProbe,
  claimProbe,
  endProbe,
  findProbe,
  latestProbes,
  listProbes,
  newestProbe,
  openProbes,
  type Probe,
  type ProbeFindings,
  type ProbeHead,
  releaseProbe,
  startProbe,
  storeProgress,
} from './probes.ts';
export { deleteCase, listSavedCases, type SavedCase, saveCase, savedCasesOf } from './saved-cases.ts';
