export { makeDays } from '../database/partitions.ts';
export { clearExpired, pruneRecord } from '../retention.ts';
