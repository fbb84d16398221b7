import { Prisma } from '../generated/prisma/client.ts';
import type { PrismaService, Tables } from '../prisma.ts';
import { hoursOfCalls, inBuckets, minutesOfFindings, minutesOfTurns, SERIES, SUMMED, SUMS } from './sums.ts';

const { sql } = Prisma;

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const MOST_MINUTES = 120;
const MOST_HOURS = 6;

/**
 * Brings the roll-ups up to date: recomputes each bucket that is marked and closed, and sets it (D-28). May run twice
 * or in two places at once. Answers how many buckets were set.
 */
export async function rollUp(prisma: PrismaService, now: Date = new Date()): Promise<number> {
  let total = 0;
  for (;;) {
    const minutes = await inTransaction(prisma, (tables) => rollUpMinutes(tables, floor(now, MINUTE_MS)));
    const hours = await inTransaction(prisma, (tables) => rollUpHours(tables, floor(now, HOUR_MS)));
    total += minutes + hours;
    if (minutes < MOST_MINUTES && hours < MOST_HOURS) return total;
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
  const where = inBuckets(minutes, MINUTE_MS);
  await tables.$executeRaw`DELETE FROM turn_rollup WHERE grain = 'minute' AND bucket = ANY (${minutes})`;
  await tables.$executeRaw`
    INSERT INTO turn_rollup (grain, bucket, ${SERIES}, ${SUMS})
    SELECT 'minute', * FROM (${minutesOfTurns(where)}) AS sums`;
  await tables.$executeRaw`DELETE FROM finding_rollup WHERE grain = 'minute' AND bucket = ANY (${minutes})`;
  await tables.$executeRaw`
    INSERT INTO finding_rollup (grain, bucket, team_id, model_id, upstream_id, strategy_used, class, rule, count)
    SELECT 'minute', * FROM (${minutesOfFindings(where)}) AS counts`;
  await addUp(tables, 'minute', 'hour', minutes);
  await addUp(tables, 'hour', 'day', minutes);
  return minutes.length;
}

/** Sets the coarser buckets that hold some instants to the sums of the finer ones. */
async function addUp(
  tables: Tables,
  from: 'minute' | 'hour',
  to: 'hour' | 'day',
  instants: readonly Date[],
): Promise<void> {
  const size = to === 'hour' ? HOUR_MS : 24 * HOUR_MS;
  const buckets = [...new Set(instants.map((at) => floor(at, size).getTime()))].map((ms) => new Date(ms));
  for (const bucket of buckets) {
    const within = sql`grain = ${from} AND bucket >= ${bucket} AND bucket < ${new Date(bucket.getTime() + size)}`;
    await tables.$executeRaw`DELETE FROM turn_rollup WHERE grain = ${to} AND bucket = ${bucket}`;
    await tables.$executeRaw`
      INSERT INTO turn_rollup (grain, bucket, ${SERIES}, ${SUMS})
      SELECT ${to}, ${bucket}::timestamptz, ${SERIES}, ${SUMMED} FROM turn_rollup WHERE ${within} GROUP BY ${SERIES}`;
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
    INSERT INTO call_rollup (bucket, team_id, model_id, upstream_id, strategy_used, tool, clean, repaired, failed)
    SELECT * FROM (${hoursOfCalls(inBuckets(hours, HOUR_MS))}) AS counts`;
  return hours.length;
}

/**
 * Takes marks away. A writer that holds one makes us wait until its rows are there; one that comes after us makes a
 * new one.
 */
async function takeMarks(tables: Tables, grain: string, before: Date, most: number): Promise<Date[]> {
  const rows = await tables.$queryRaw<{ bucket: Date }[]>`
    DELETE FROM rollup_mark WHERE grain = ${grain} AND bucket IN (
      SELECT bucket FROM rollup_mark WHERE grain = ${grain} AND bucket < ${before} ORDER BY bucket LIMIT ${most} FOR UPDATE
    ) RETURNING bucket`;
  return rows.map(({ bucket }) => bucket);
}

const floor = (at: Date, sizeMs: number): Date => new Date(Math.floor(at.getTime() / sizeMs) * sizeMs);
