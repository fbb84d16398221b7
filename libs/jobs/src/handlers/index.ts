import { CheckUpstreamsHandler } from './check-upstreams.handler.ts';
import { ClearExpiredHandler } from './clear-expired.handler.ts';
import { MakeDaysHandler } from './make-days.handler.ts';
import { PruneRecordHandler } from './prune-record.handler.ts';
import { RollUpHandler } from './roll-up.handler.ts';
import { TrialHandler } from './trial.handler.ts';

/** What does each job's work. */
export const handlers = [
  RollUpHandler,
  MakeDaysHandler,
  PruneRecordHandler,
  CheckUpstreamsHandler,
  ClearExpiredHandler,
  TrialHandler,
] as const;
