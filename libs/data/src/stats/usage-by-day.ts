import type { PrismaService } from '../database/prisma.ts';
import { Prisma } from '../generated/prisma/client.ts';
import { rolledUpRange, turnSums } from '../rollup/rolled-up-range.ts';
import { bucketOf } from '../rollup/sums.ts';

const { sql } = Prisma;

/** A key's usage of one model on one day (UTC). */
export interface DayOfUsage {
  /** When the day began. */
  readonly day: Date;
  /** Empty: the request was for no known model. */
  readonly modelId: string;
  readonly turns: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens: number;
  /** Millionths of the currency. */
  readonly spend: number;
}

/** A key's usage by day and model, from the day of `from`; a finished turn is included immediately. */
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
