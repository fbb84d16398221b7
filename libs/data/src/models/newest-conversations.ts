import { Prisma } from '../generated/prisma/client.ts';

/** Conversations that are served another way than new ones are not more. */
const MOST = 5_000;

/** The conversations of rows of `turn`, those with the newest requests first, at most 5,000. */
export const newestConversations = (rows: Prisma.Sql): Prisma.Sql => Prisma.sql`
  SELECT conversation FROM turn WHERE ${rows}
  GROUP BY conversation ORDER BY max(at) DESC LIMIT ${MOST}`;

/** The rows of `turn` by which a model's conversations of the last 24 hours are known. */
export const inLastDay = (modelId: string): Prisma.Sql =>
  Prisma.sql`model_id = ${modelId} AND at > now() - interval '24 hours' AND conversation IS NOT NULL`;
