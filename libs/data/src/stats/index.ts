export { rollUp } from '../rollup/roll-up.ts';
export { affectedBy } from './affected-users.ts';
export { engineChangesOf, enginesOf } from './engines.ts';
export { alignedToBucket, chartStepSeconds, grainFor, type StatsFilter } from './filter.ts';
export { classesOverTime, rulesOf } from './findings.ts';
export { hasRealCall } from './first-call.ts';
export { namesOf } from './names.ts';
export {
  outcomesByStrategy,
  type Totals,
  totalsOf,
  type UsagePoint,
  usageBy,
  usageOverTime,
} from './outcomes.ts';
export { type Overview, overviewOf } from './overview.ts';
export { toolsOf } from './tools.ts';
export { type DayOfUsage, usageByDay } from './usage-by-day.ts';
