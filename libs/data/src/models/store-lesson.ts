import type { Tables } from '../database/prisma.ts';
import type { Prisma } from '../generated/prisma/client.ts';

/** Stores something learned about a model on an upstream, replacing an earlier value. */
export async function storeLesson(tables: Tables, row: Prisma.LearnedUncheckedCreateInput): Promise<void> {
  const { modelId, upstreamId, what } = row;
  await tables.learned.upsert({
    where: { modelId_upstreamId_what: { modelId, upstreamId, what } },
    create: row,
    update: row,
  });
}
