import { z } from 'zod';
import { defineJob } from '../job.ts';

/** Drops turns and bodies that are older than they are kept. */
export const pruneRecord = defineJob({ name: 'prune-record', payload: z.object({}), tries: 3, everyMs: 3_600_000 });
