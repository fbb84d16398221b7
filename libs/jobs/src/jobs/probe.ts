import { z } from 'zod';
import { defineJob } from '../job.ts';

/** Sends a model the questions of a probe in each of its arms. */
export const probe = defineJob({ name: 'probe', payload: z.object({ id: z.string() }), tries: 1 });
