import type { PrismaService } from '../database/prisma.ts';
import { Prisma } from '../generated/prisma/client.ts';
import type { TurnFilter } from './filter.ts';
import { newest } from './list.ts';

const { sql } = Prisma;

/** How many of a group's requests have a value, with the first and the last of them. */
export interface SeenValueCount {
  readonly value: string;
  readonly count: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
}

/** The history of a group of failures. */
export interface FailureHistory {
  readonly count: number;
  /** Only this many requests, the newest, were examined, and there are older ones; null: all were. */
  readonly newest: number | null;
  readonly engines: readonly SeenValueCount[];
  readonly clients: readonly SeenValueCount[];
  /** Tools that its requests called. */
  readonly tools: readonly SeenValueCount[];
  /** By day (UTC), the oldest first. */
  readonly days: readonly SeenValueCount[];
}

const MOST_FAILURES = 10_000;
const MOST_VALUES = 12;

/** The history of the group in a filter. */
export async function failureHistory(prisma: PrismaService, filter: TurnFilter): Promise<FailureHistory> {
  const rows = await prisma.$queryRaw<(SeenValueCount & { by: string })[]>`
    WITH failing AS (
      SELECT id, at, engine_version, client
      FROM (${newest({ ...filter, failures: true }, undefined)} LIMIT ${MOST_FAILURES}) AS turn
    )
    SELECT 'engine' AS by, coalesce(engine_version, '') AS value, ${SUMS} FROM failing GROUP BY 2
    UNION ALL SELECT 'client', client, ${SUMS} FROM failing GROUP BY 2
    UNION ALL SELECT 'day', to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD'), ${SUMS} FROM failing GROUP BY 2
    UNION ALL SELECT 'tool', tool, ${SUMS} FROM (
      SELECT DISTINCT failing.id, failing.at, called.tool
      FROM failing, LATERAL (
        SELECT tool FROM call WHERE call.turn_id = failing.id AND call.at = failing.at OFFSET 0
      ) AS called
    ) AS calls GROUP BY 2`;
  const of = (name: string) => rows.filter(({ by }) => by === name).map(({ by: _, ...seen }) => seen);
  const most = (name: string) =>
    of(name)
      .sort((a, b) => b.count - a.count || a.value.localeCompare(b.value))
      .slice(0, MOST_VALUES);
  const days = of('day').sort((a, b) => a.value.localeCompare(b.value));
  const count = days.reduce((sum, day) => sum + day.count, 0);
  return {
    count,
    newest: count === MOST_FAILURES ? MOST_FAILURES : null,
    engines: most('engine'),
    clients: most('client'),
    tools: most('tool'),
    days,
  };
}

const SUMS = sql`count(*)::float8 AS count, min(at) AS "firstAt", max(at) AS "lastAt"`;
