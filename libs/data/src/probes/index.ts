export type { ProbeArm, ProbeBudget, ProbeRow, SupportFound } from './probe-rows.ts';
export { EXAMPLES, keepProbedLessons, type ProbedLesson } from './probed-lessons.ts';
export {
  cancelProbe,
  endProbe,
  findProbe,
  keepProbe,
  latestProbes,
  listProbes,
  newestProbe,
  openProbes,
  type Probe,
  type ProbeFindings,
  type ProbeHead,
  restProbe,
  startProbe,
  takeProbe,
} from './probes.ts';
