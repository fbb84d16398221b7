import { checkUpstreams } from './check-upstreams.ts';
import { clearExpired } from './clear-expired.ts';
import { makeDays } from './make-days.ts';
import { pruneRecord } from './prune-record.ts';
import { rollUp } from './roll-up.ts';
import { trial } from './trial.ts';

/** All background work. */
export const jobs = [rollUp, makeDays, pruneRecord, checkUpstreams, clearExpired, trial] as const;
