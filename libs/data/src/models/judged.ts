import { Prisma } from '../generated/prisma/client.ts';

/** The rows of `turn` that evaluate a strategy: requests with calls. */
export const isJudged = Prisma.sql`outcome IN ('clean', 'repaired', 'invalid', 'failed')`;

/**
 * Of these, those that count against the strategy tried first: they failed, were invalid, or only another one answered.
 */
export const FAILED_CONDITION = Prisma.sql`(outcome IN ('failed', 'invalid') OR coalesce(strategy_first <> strategy_used, false))`;
