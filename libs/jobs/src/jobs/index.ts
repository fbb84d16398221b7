import { checkUpstreams } from './check-upstreams.ts';
import { chooseStrategies } from './choose-strategies.ts';
import { clearExpired } from './clear-expired.ts';
import { deliverAlert } from './deliver-alert.ts';
import { endExperiments } from './end-experiments.ts';
import { exportTurns } from './export-turns.ts';
import { makeDays } from './make-days.ts';
import { probe } from './probe.ts';
import { pruneRecord } from './prune-record.ts';
import { rollUp } from './roll-up.ts';
import { trial } from './trial.ts';
import { watchAlerts } from './watch-alerts.ts';
import { watchProbes } from './watch-probes.ts';

/** All background work. */
export const jobs = [
  watchAlerts,
  deliverAlert,
  exportTurns,
  rollUp,
  makeDays,
  pruneRecord,
  checkUpstreams,
  clearExpired,
  trial,
  probe,
  watchProbes,
  chooseStrategies,
  endExperiments,
] as const;
