import type { PrismaService } from './prisma.ts';

const DAY_MS = 86_400_000;

/** The tables with a partition per day. */
export type DailyTable = 'turn' | 'call' | 'turn_body';

/**
 * Creates the partitions of the UTC days from `from` on, and of `ahead` days after it. Returns how many were created.
 */
export async function createDayPartitions(prisma: PrismaService, from: Date, ahead: number): Promise<number> {
  const last = new Date(from.getTime() + ahead * DAY_MS);
  const [row] = await prisma.$queryRaw<{ made: number }[]>`
    SELECT make_days(${day(from)}::date, ${day(last)}::date) AS made`;
  return row?.made ?? 0;
}

/** Drops a table's partitions of the UTC days before the day of `before`. Returns how many. */
export async function dropDayPartitions(prisma: PrismaService, table: DailyTable, before: Date): Promise<number> {
  const [row] = await prisma.$queryRaw<{ dropped: number }[]>`
    SELECT drop_days(${table}, ${day(before)}::date) AS dropped`;
  return row?.dropped ?? 0;
}

const day = (at: Date): string => at.toISOString().slice(0, 10);
