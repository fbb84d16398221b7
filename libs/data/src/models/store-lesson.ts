import type { Tables } from '../database/prisma.ts';
import type { Prisma } from '../generated/prisma/client.ts';

/** Keeps something that was learned of a model on an upstream, in place of what was learned of the same before. */
export async function storeLesson(tables: Tables, row: Prisma.LearnedUncheckedCreateInput): Promise<void> {
  const { modelId, upstreamId, what } = row;
  await tables.learned.upsert({
    where: { modelId_upstreamId_what: { modelId, upstreamId, what } },
    create: row,
    update: row,
  });
}
