import { z } from 'zod';
import { defineJob } from '../job.ts';

/** Resumes probes that a process left, and starts those that are due. */
export const watchProbes = defineJob({ name: 'watch-probes', payload: z.object({}), tries: 1, everyMs: 60_000 });
