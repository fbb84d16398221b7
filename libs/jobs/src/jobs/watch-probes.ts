import { z } from 'zod';
import { defineJob } from '../job.ts';

/** Takes up probes that a process left, and begins those that are due. */
export const watchProbes = defineJob({ name: 'watch-probes', payload: z.object({}), tries: 1, everyMs: 60_000 });
