import { z } from 'zod';
import { defineJob } from '../job.ts';

/** Evaluates the triggers of webhooks, and requests deliveries. */
export const watchAlerts = defineJob({ name: 'watch-alerts', payload: z.object({}), tries: 1, everyMs: 60_000 });
