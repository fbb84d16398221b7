import { z } from 'zod';
import { defineJob } from '../job.ts';

/** Evaluates experiments whose time has passed. */
export const endExperiments = defineJob({ name: 'end-experiments', payload: z.object({}), tries: 1, everyMs: 60_000 });
