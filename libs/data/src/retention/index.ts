export { createDayPartitions } from '../database/partitions.ts';
export { clearExpired, pruneRecord } from '../retention.ts';
