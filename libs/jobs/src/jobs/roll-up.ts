import { z } from 'zod';
import { defineJob } from '../job.ts';

/** Rolls up the minutes and hours that have closed. */
export const rollUp = defineJob({ name: 'roll-up', payload: z.object({}), tries: 1, everyMs: 60_000 });
