import { z } from 'zod';
import { defineJob } from '../job.ts';

/** Notes what webhooks want to be told, and asks for its delivery. */
export const watchAlerts = defineJob({ name: 'watch-alerts', payload: z.object({}), tries: 1, everyMs: 60_000 });
