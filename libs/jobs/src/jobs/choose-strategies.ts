import { z } from 'zod';
import { defineJob } from '../job.ts';

/** Lets `auto` choose by the evidence of probes and requests. */
export const chooseStrategies = defineJob({
  name: 'choose-strategies',
  payload: z.object({}),
  tries: 1,
  everyMs: 60_000,
});
