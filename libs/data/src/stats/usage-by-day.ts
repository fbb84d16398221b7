import type { PrismaService } from '../database/prisma.ts';
import { Prisma } from '../generated/prisma/client.ts';
import { rolledUpRange, turnSums } from '../rollup/rolled-up-range.ts';
import { bucketOf } from '../rollup/sums.ts';

const { sql } = Prisma;

/** What a key used of one model on one day (UTC). */
export interface DayOfUsage {
  /** When the day began. */
  readonly day: Date;
  /** Empty: no model of ours was asked for. */
  readonly modelId: string;
  readonly turns: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens: number;
  /** Millionths of the currency. */
  readonly spend: number;
}

/** What a key used by day and model, from the day that `from` lies in; a finished turn is in it at once. */
export async function usageByDay(
  prisma: PrismaService,
  keyId: string,
  { from, to }: { readonly from: Date; readonly to: Date },
): Promise<DayOfUsage[]> {
  const cover = await rolledUpRange(prisma, { from: bucketOf(from, 'day'), to, grain: 'day' });
  return prisma.$queryRaw<DayOfUsage[]>`
    SELECT date_bin('1 day', bucket, 'epoch'::timestamptz) AS day, model_id AS "modelId", sum(turns)::float8 AS turns,
      sum(input_tokens)::float8 AS "inputTokens", sum(output_tokens)::float8 AS "outputTokens",
      sum(cached_tokens)::float8 AS "cachedTokens", sum(spend)::float8 AS spend
    FROM (${turnSums(cover, sql`key_id = ${keyId}`)}) AS sums
    GROUP BY 1, 2 ORDER BY 1, 2`;
}
