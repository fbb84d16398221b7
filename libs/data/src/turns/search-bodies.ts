import type { PrismaService } from '../database/prisma.ts';
import { Prisma } from '../generated/prisma/client.ts';
import { turnTime } from '../ids.ts';
import { andOlder, type TurnFilter, whereOfBodies } from './filter.ts';

const { sql, raw } = Prisma;

/** How far a search looks for one page, so that its time is bounded however many bodies there are. */
export interface SearchBounds {
  /** Bodies that are read one after the other. */
  readonly read: number;
  /** Bodies with the words, found by the index. */
  readonly found: number;
}

const BOUNDS: SearchBounds = { read: 2_000, found: 2_000 };
/** A word in more than this share of the bodies is found sooner by reading on than by the index. */
const FREQUENT = 0.1;

/** Turns whose bodies fit a search, as far as it looked. */
export interface FoundBodies {
  /** UUIDs, the newest first. */
  readonly ids: readonly string[];
  /** How many bodies have the words, regardless of which are adjacent. */
  readonly withWords: number;
  /** The UUID before which the search goes on; null: it looked at all. */
  readonly next: string | null;
}

/**
 * The newest turns, older than the turn of the UUID `before`, whose bodies fit a filter's part about message content;
 * undefined: it has none. The newest bodies are read one after the other. If that shows that the words are not frequent,
 * the index finds further ones: it would have to sort all bodies with frequent words. The choice is not Postgres's, whose
 * planner takes reading a text for far cheaper than it is.
 *
 * Security 29: for one team only its own bodies are looked at, which the index cannot tell from others: how far a search
 * came would show how much other teams ask.
 */
export async function searchBodies(
  prisma: PrismaService,
  filter: TurnFilter,
  before: string | undefined,
  bounds: SearchBounds = BOUNDS,
): Promise<FoundBodies | undefined> {
  const where = whereOfBodies(filter);
  if (!where) return undefined;
  // Each text is read once, unless it has the words and they must be adjacent.
  const fits = where.exact
    ? sql`CASE WHEN ${where.indexed} THEN ${where.exact} END`
    : sql`NULLIF(${where.indexed}, false)`;
  const [read] = await prisma.$queryRaw<Examined[]>`
    SELECT ${SUMS} FROM (
      SELECT at, turn_id, ${fits} AS fits FROM ${await newestOf(prisma, filter, before, bounds.read)}
    ) AS body`;
  const first = foundOf(read, bounds.read);
  if (first.next === null || filter.teamId !== undefined || first.withWords > bounds.read * FREQUENT) return first;
  // Of the found ones only those within the limit are read.
  const [, [indexed]] = await prisma.$transaction([
    prisma.$executeRaw`SET LOCAL enable_indexscan = off`,
    prisma.$queryRaw<Examined[]>`
      SELECT ${SUMS} FROM (
        SELECT turn_body.at, turn_body.turn_id, ${where.exact ?? raw('true')} AS fits FROM (
          SELECT * FROM turn_body WHERE ${where.indexed} AND ${within('turn_id', filter, first.next)} LIMIT ${bounds.found}
        ) AS turn_body
      ) AS body`,
  ]);
  const second = foundOf(indexed, bounds.found);
  return {
    ids: [...first.ids, ...second.ids],
    withWords: first.withWords + second.withWords,
    next: second.next,
  };
}

/**
 * The newest bodies, or those of a team: turns older than the oldest body have none. OFFSET 0 keeps the planner from
 * joining days. The oldest body's time is read beforehand: without it the planner expects so few turns that it reads and
 * sorts all of the team's, instead of the newest in order.
 */
async function newestOf(
  prisma: PrismaService,
  filter: TurnFilter,
  before: string | undefined,
  most: number,
): Promise<Prisma.Sql> {
  if (filter.teamId === undefined)
    return sql`(SELECT * FROM turn_body WHERE ${within('turn_id', filter, before)} LIMIT ${most}) AS turn_body`;
  const [oldest] = await prisma.$queryRaw<{ at: Date | null }[]>`SELECT min(at) AS at FROM turn_body`;
  const from = new Date(Math.max(filter.from.getTime(), (oldest?.at ?? filter.to).getTime()));
  return sql`(
      SELECT id AS turn_id, at FROM turn WHERE team_id = ${filter.teamId} AND stored
        AND ${within('id', { ...filter, from }, before)} LIMIT ${most}
    ) AS own LEFT JOIN LATERAL (
      SELECT words, argument_paths FROM turn_body
      WHERE turn_body.turn_id = own.turn_id AND turn_body.at = own.at OFFSET 0
    ) AS turn_body ON true`;
}

/** The filter's time, the newest first. `id`: the column of the turn's UUID. */
const within = (id: string, { from, to }: TurnFilter, before: string | undefined): Prisma.Sql => sql`
  at >= ${from} AND at < ${to} ${andOlder('at', id, before)}
  ORDER BY at DESC, ${raw(id)} DESC`;

interface Examined {
  readonly bodies: number;
  readonly withWords: number;
  readonly ids: string[] | null;
  readonly oldest: string | null;
}

// `fits` is null for a body without the words, and false where they are not adjacent.
const SUMS = raw(`count(*)::int AS bodies, count(fits)::int AS "withWords",
  array_agg(turn_id ORDER BY at DESC, turn_id DESC) FILTER (WHERE fits) AS ids,
  (array_agg(turn_id ORDER BY at, turn_id))[1] AS oldest`);

const foundOf = (examined: Examined | undefined, most: number): FoundBodies => ({
  ids: examined?.ids ?? [],
  withWords: examined?.withWords ?? 0,
  next: examined?.bodies === most ? examined.oldest : null,
});

/** Found bodies as rows of a statement: `turn_id`, `at`. */
export const rowsOfFound = ({ ids }: FoundBodies): Prisma.Sql =>
  sql`SELECT * FROM unnest(${ids}::uuid[], ${ids.map(turnTime)}::timestamptz[]) AS found (turn_id, at)`;
