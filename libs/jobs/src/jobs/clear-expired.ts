import { z } from 'zod';
import { defineJob } from '../job.ts';

/** Removes sessions, links and other short-lived rows that have expired. */
export const clearExpired = defineJob({ name: 'clear-expired', payload: z.object({}), tries: 3, everyMs: 3_600_000 });
