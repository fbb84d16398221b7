import { z } from 'zod';
import { defineJob } from '../job.ts';

/** Drops turns and bodies after their retention period. */
export const pruneRecord = defineJob({ name: 'prune-record', payload: z.object({}), tries: 3, everyMs: 3_600_000 });
