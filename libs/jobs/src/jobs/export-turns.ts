import { z } from 'zod';
import { defineJob } from '../job.ts';

/** Writes the file of an export. */
export const exportTurns = defineJob({ name: 'export-turns', payload: z.object({ id: z.string() }), tries: 3 });
