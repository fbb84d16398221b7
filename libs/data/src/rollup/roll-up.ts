import type { PrismaService, Tables } from '../database/prisma.ts';
import { Prisma } from '../generated/prisma/client.ts';
import {
  BUCKET_MS,
  bucketOf,
  type Grain,
  hoursOfCalls,
  inBuckets,
  minutesOfFindings,
  minutesOfTurns,
  SERIES_COLUMNS,
  SUM_COLUMNS,
  SUMS_OF_ROLLUPS,
} from './sums.ts';

const { sql } = Prisma;

const MOST_MINUTES = 120;
const MOST_HOURS = 6;

/**
 * Updates the roll-ups: recomputes and sets each marked and closed bucket (D-28). May run twice or concurrently. Ends
 * early, between batches, once `signal` is aborted. Returns how many buckets were set.
 */
export async function rollUp(prisma: PrismaService, now: Date = new Date(), signal?: AbortSignal): Promise<number> {
  let total = 0;
  for (;;) {
    const minutes = await inTransaction(prisma, (tables) => rollUpMinutes(tables, bucketOf(now, 'minute')));
    const hours = await inTransaction(prisma, (tables) => rollUpHours(tables, bucketOf(now, 'hour')));
    total += minutes + hours;
    if (signal?.aborted || (minutes < MOST_MINUTES && hours < MOST_HOURS)) return total;
  }
}

function inTransaction(prisma: PrismaService, work: (tables: Tables) => Promise<number>): Promise<number> {
  return prisma.$transaction(
    async (tables) => {
      await tables.$executeRaw`SELECT pg_advisory_xact_lock(5275180)`;
      return work(tables);
    },
    { maxWait: 10_000, timeout: 300_000 },
  );
}

async function rollUpMinutes(tables: Tables, before: Date): Promise<number> {
  const minutes = await takeMarks(tables, 'minute', before, MOST_MINUTES);
  if (minutes.length === 0) return 0;
  const within = inBuckets(minutes, BUCKET_MS.minute);
  await tables.$executeRaw`DELETE FROM turn_rollup WHERE grain = 'minute' AND bucket = ANY (${minutes})`;
  await tables.$executeRaw`
    INSERT INTO turn_rollup (grain, bucket, ${SERIES_COLUMNS}, ${SUM_COLUMNS})
    SELECT 'minute', * FROM (${minutesOfTurns(within.turn)}) AS sums`;
  await tables.$executeRaw`DELETE FROM finding_rollup WHERE grain = 'minute' AND bucket = ANY (${minutes})`;
  await tables.$executeRaw`
    INSERT INTO finding_rollup (grain, bucket, team_id, model_id, upstream_id, strategy_used, class, rule, count)
    SELECT 'minute', * FROM (${minutesOfFindings(within)}) AS counts`;
  await addUp(tables, 'minute', 'quarter', minutes);
  await addUp(tables, 'quarter', 'hour', minutes);
  await addUp(tables, 'hour', 'shift', minutes);
  await addUp(tables, 'shift', 'day', minutes);
  return minutes.length;
}

/** Sets the coarser buckets of some instants to the sums of the finer ones. */
async function addUp(tables: Tables, from: Grain, to: Grain, instants: readonly Date[]): Promise<void> {
  const buckets = [...new Set(instants.map((at) => bucketOf(at, to).getTime()))].map((ms) => new Date(ms));
  for (const bucket of buckets) {
    const within = sql`grain = ${from} AND bucket >= ${bucket} AND bucket < ${new Date(bucket.getTime() + BUCKET_MS[to])}`;
    await tables.$executeRaw`DELETE FROM turn_rollup WHERE grain = ${to} AND bucket = ${bucket}`;
    await tables.$executeRaw`
      INSERT INTO turn_rollup (grain, bucket, ${SERIES_COLUMNS}, ${SUM_COLUMNS})
      SELECT ${to}, ${bucket}::timestamptz, ${SERIES_COLUMNS}, ${SUMS_OF_ROLLUPS} FROM turn_rollup WHERE ${within} GROUP BY ${SERIES_COLUMNS}`;
    await tables.$executeRaw`DELETE FROM finding_rollup WHERE grain = ${to} AND bucket = ${bucket}`;
    await tables.$executeRaw`
      INSERT INTO finding_rollup (grain, bucket, team_id, model_id, upstream_id, strategy_used, class, rule, count)
      SELECT ${to}, ${bucket}::timestamptz, team_id, model_id, upstream_id, strategy_used, class, rule, sum(count)::int
      FROM finding_rollup WHERE ${within}
      GROUP BY team_id, model_id, upstream_id, strategy_used, class, rule`;
  }
}

async function rollUpHours(tables: Tables, before: Date): Promise<number> {
  const hours = await takeMarks(tables, 'hour', before, MOST_HOURS);
  if (hours.length === 0) return 0;
  await tables.$executeRaw`DELETE FROM call_rollup WHERE bucket = ANY (${hours})`;
  await tables.$executeRaw`
    INSERT INTO call_rollup (bucket, team_id, model_id, upstream_id, strategy_used, tool, clean, repaired, invalid, failed)
    SELECT * FROM (${hoursOfCalls(inBuckets(hours, BUCKET_MS.hour))}) AS counts`;
  return hours.length;
}

/** Removes marks. If a writer holds one, this waits until its rows are committed; a later writer creates a new one. */
async function takeMarks(tables: Tables, grain: string, before: Date, most: number): Promise<Date[]> {
  const rows = await tables.$queryRaw<{ bucket: Date }[]>`
    DELETE FROM rollup_mark WHERE grain = ${grain} AND bucket IN (
      SELECT bucket FROM rollup_mark WHERE grain = ${grain} AND bucket < ${before} ORDER BY bucket LIMIT ${most} FOR UPDATE
    ) RETURNING bucket`;
  return rows.map(({ bucket }) => bucket);
}
