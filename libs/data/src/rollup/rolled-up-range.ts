import type { PrismaService } from '../database/prisma.ts';
import { Prisma } from '../generated/prisma/client.ts';
import {
  BUCKET_MS,
  bucketOf,
  type Grain,
  grains,
  inBuckets,
  minutesOfFindings,
  minutesOfTurns,
  SERIES_COLUMNS,
  SUM_COLUMNS,
  type TimeCondition,
} from './sums.ts';

const { sql, join } = Prisma;

/** A time range, and its minutes that are not rolled up yet: those are read from the rows themselves. */
export interface RolledUpRange {
  readonly from: Date;
  readonly to: Date;
  readonly grain: Grain;
  readonly behind: readonly Date[];
  /** The start or end of the range inside a bucket: there it is read at a finer grain. */
  readonly edges: readonly Date[];
}

/** How long minutes are kept. */
export const MINUTES_KEPT_MS = 8 * BUCKET_MS.day;

/**
 * Finds the minutes of a range that are not rolled up. If an end is older than a week, the whole quarter of an hour
 * around it is included; if quarters are no longer kept, the whole bucket.
 */
export async function rolledUpRange(
  prisma: PrismaService,
  requested: { from: Date; to: Date; grain: Grain },
): Promise<RolledUpRange> {
  const minutesFrom = Date.now() - MINUTES_KEPT_MS + BUCKET_MS.day;
  const old = (at: Date) => at.getTime() < minutesFrom;
  const range = {
    ...requested,
    from: old(requested.from) ? bucketOf(requested.from, 'quarter') : requested.from,
    to: old(requested.to)
      ? bucketOf(new Date(requested.to.getTime() + BUCKET_MS.quarter - 1), 'quarter')
      : requested.to,
  };
  const rows = await prisma.rollupMark.findMany({
    where: { grain: 'minute', bucket: { gte: bucketOf(range.from, 'minute'), lt: range.to } },
    select: { bucket: true },
    orderBy: { bucket: 'asc' },
  });
  const inside = [range.from, range.to].filter((at) => bucketOf(at, range.grain) < at);
  const quartersFrom = inside.some(old) ? await oldestQuarter(prisma) : undefined;
  const edges = inside.filter((at) => !old(at) || (quartersFrom !== undefined && at >= quartersFrom));
  return { ...range, behind: rows.map(({ bucket }) => bucket), edges };
}

async function oldestQuarter(prisma: PrismaService): Promise<Date | undefined> {
  const oldest = await prisma.turnRollup.findFirst({
    where: { grain: 'quarter' },
    select: { bucket: true },
    orderBy: { bucket: 'asc' },
  });
  return oldest?.bucket;
}

/** The sums of all turns in a range, by bucket and series. `where` is about columns that row and roll-up share. */
export const turnSums = (cover: RolledUpRange, where: Prisma.Sql): Prisma.Sql =>
  union(cover, {
    rolledUp: (within) =>
      sql`SELECT bucket, ${SERIES_COLUMNS}, ${SUM_COLUMNS} FROM turn_rollup WHERE ${within} AND ${where}`,
    rows: (within) => minutesOfTurns(sql`${within.turn} AND ${where}`),
  });

/** The same by bucket and model alone, which is far less to read; `where` is about `model_id` only. */
export const modelSums = (cover: RolledUpRange, where: Prisma.Sql): Prisma.Sql =>
  union(cover, {
    rolledUp: (within) => sql`SELECT bucket, model_id, ${SUM_COLUMNS} FROM model_rollup WHERE ${within} AND ${where}`,
    rows: (within) =>
      sql`SELECT bucket, model_id, ${SUM_COLUMNS} FROM (${minutesOfTurns(sql`${within.turn} AND ${where}`)}) AS minutes`,
  });

/** The counts of all findings in a range, by bucket, series, class and rule. */
export const findingCounts = (cover: RolledUpRange, where: Prisma.Sql): Prisma.Sql =>
  union(cover, {
    rolledUp: (within) => sql`
      SELECT bucket, team_id, model_id, upstream_id, strategy_used, class, rule, count
      FROM finding_rollup WHERE ${within} AND ${where}`,
    rows: (within) => minutesOfFindings(within, where),
  });

interface Parts {
  readonly rolledUp: (within: Prisma.Sql) => Prisma.Sql;
  readonly rows: (within: TimeCondition) => Prisma.Sql;
}

/**
 * Coarse buckets where they are complete; finer ones inside a coarse bucket with a minute that is not rolled up; rows
 * for those minutes.
 */
function union({ from, to, grain, behind, edges }: RolledUpRange, { rolledUp, rows }: Parts): Prisma.Sql {
  const parts: Prisma.Sql[] = [];
  let within = sql`bucket >= ${bucketOf(from, grain)} AND bucket < ${to}`;
  for (const finer of grains.slice(grains.indexOf(grain))) {
    const inside = [...behind, ...edges.filter((at) => finer !== 'minute' && bucketOf(at, finer) < at)];
    const open = [...new Set(inside.map((at) => bucketOf(at, finer).getTime()))].map((ms) => new Date(ms));
    parts.push(
      rolledUp(
        sql`grain = ${finer} AND ${within}${open.length > 0 ? sql` AND bucket <> ALL (${open})` : Prisma.empty}`,
      ),
    );
    if (open.length === 0) return join(parts, ' UNION ALL ');
    const spans = open.map((at) => sql`(bucket >= ${at} AND bucket < ${new Date(at.getTime() + BUCKET_MS[finer])})`);
    within = sql`bucket >= ${bucketOf(from, 'minute')} AND bucket < ${to} AND (${join(spans, ' OR ')})`;
  }
  if (behind.length > 0) parts.push(rows(inBuckets(behind, BUCKET_MS.minute, to)));
  return join(parts, ' UNION ALL ');
}
