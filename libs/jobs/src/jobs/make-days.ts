import { z } from 'zod';
import { defineJob } from '../job.ts';

/** Creates the partitions of the coming days. */
export const makeDays = defineJob({ name: 'make-days', payload: z.object({}), tries: 5, everyMs: 21_600_000 });
