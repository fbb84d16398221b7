import { z } from 'zod';
import { defineJob } from '../job.ts';

/** Judges experiments whose time is over. */
export const endExperiments = defineJob({ name: 'end-experiments', payload: z.object({}), tries: 1, everyMs: 60_000 });
