import { z } from 'zod';
import { defineJob } from '../job.ts';

/** Sends one message to one webhook; the pauses between its attempts add up to six minutes. */
export const deliverAlert = defineJob({ name: 'deliver-alert', payload: z.object({ id: z.string() }), tries: 12 });
