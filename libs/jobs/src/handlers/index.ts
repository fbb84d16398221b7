import { CheckUpstreamsHandler } from './check-upstreams.handler.ts';
import { ChooseStrategiesHandler } from './choose-strategies.handler.ts';
import { ClearExpiredHandler } from './clear-expired.handler.ts';
import { DeliverAlertHandler } from './deliver-alert.handler.ts';
import { EndExperimentsHandler } from './end-experiments.handler.ts';
import { ExportTurnsHandler } from './export-turns.handler.ts';
import { MakeDaysHandler } from './make-days.handler.ts';
import { ProbeHandler } from './probe.handler.ts';
import { PruneRecordHandler } from './prune-record.handler.ts';
import { RollUpHandler } from './roll-up.handler.ts';
import { TrialHandler } from './trial.handler.ts';
import { WatchAlertsHandler } from './watch-alerts.handler.ts';
import { WatchProbesHandler } from './watch-probes.handler.ts';

/** The handlers of all jobs. */
export const handlers = [
  WatchAlertsHandler,
  DeliverAlertHandler,
  ExportTurnsHandler,
  RollUpHandler,
  MakeDaysHandler,
  PruneRecordHandler,
  CheckUpstreamsHandler,
  ClearExpiredHandler,
  TrialHandler,
  ProbeHandler,
  WatchProbesHandler,
  ChooseStrategiesHandler,
  EndExperimentsHandler,
] as const;
