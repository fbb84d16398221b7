import { z } from 'zod';
import { defineJob } from '../job.ts';

/** Sends a model's stored requests again, with another strategy. */
export const trial = defineJob({ name: 'trial', payload: z.object({ id: z.string() }), tries: 1 });
