import { z } from 'zod';
import { defineJob } from '../job.ts';

/** Checks every upstream: its health, its engine and its models. */
export const checkUpstreams = defineJob({ name: 'check-upstreams', payload: z.object({}), tries: 1, everyMs: 60_000 });
