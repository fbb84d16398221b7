import { CheckUpstreamsHandler } from './check-upstreams.handler.ts';
import { ClearExpiredHandler } from './clear-expired.handler.ts';
import { MakeDaysHandler } from './make-days.handler.ts';
import { PruneRecordHandler } from './prune-record.handler.ts';
import { RollUpHandler } from './roll-up.handler.ts';

/** What does each job's work. */
export const handlers = [
  RollUpHandler,
  MakeDaysHandler,
  PruneRecordHandler,
  CheckUpstreamsHandler,
  ClearExpiredHandler,
] as const;
