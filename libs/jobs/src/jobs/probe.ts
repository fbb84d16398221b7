import { z } from 'zod';
import { defineJob } from '../job.ts';

/** Asks a model the questions of a probe by each of its arms. */
export const probe = defineJob({ name: 'probe', payload: z.object({ id: z.string() }), tries: 1 });
