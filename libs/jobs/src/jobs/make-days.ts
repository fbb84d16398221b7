import { z } from 'zod';
import { defineJob } from '../job.ts';

/** Makes the partitions of the days ahead. */
export const makeDays = defineJob({ name: 'make-days', payload: z.object({}), tries: 5, everyMs: 21_600_000 });
