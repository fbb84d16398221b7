import { Prisma } from '../generated/prisma/client.ts';

/** Maximum number of conversations that keep an earlier strategy. */
const MOST = 5_000;

/** The conversations of rows of `turn`, those with the newest requests first, at most 5,000. */
export const newestConversations = (rows: Prisma.Sql): Prisma.Sql => Prisma.sql`
  SELECT conversation FROM turn WHERE ${rows}
  GROUP BY conversation ORDER BY max(at) DESC LIMIT ${MOST}`;

/** The rows of `turn` that identify a model's conversations of the last 24 hours. */
export const inLastDay = (modelId: string): Prisma.Sql =>
  Prisma.sql`model_id = ${modelId} AND at > now() - interval '24 hours' AND conversation IS NOT NULL`;
