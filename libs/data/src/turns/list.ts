import { columnNamed, storedColumns } from '@callsmith/contracts';
import type { PrismaService } from '../database/prisma.ts';
import { Prisma, type Turn } from '../generated/prisma/client.ts';
import { turnTime } from '../ids.ts';
import { columnOf } from '../record/column-of.ts';
import { andOlder, type TurnFilter, whereOfBodies, whereOfCalls, whereOfGroup, whereOfTurns } from './filter.ts';
import { rowsOfFound, type SearchBounds, searchBodies } from './search-bodies.ts';

const { sql, raw, join } = Prisma;

/** A turn without its bodies, with the names of its references; null: deleted or unknown. */
export interface TurnRow extends Omit<Turn, 'inputTokens' | 'outputTokens' | 'cachedTokens'> {
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly cachedTokens: number | null;
  readonly team: string | null;
  /** The key's owner. */
  readonly key: string | null;
  readonly upstream: string | null;
}

const stored = storedColumns.map(
  (name) => `turn.${columnOf(name)}${columnNamed(name).wide ? '::float8' : ''} AS "${name}"`,
);
const COLUMNS = raw([...stored, 'team.name AS team', 'api_key.holder AS key', 'upstream.name AS upstream'].join(', '));

const NAMES = raw(`LEFT JOIN team ON team.id = turn.team_id LEFT JOIN api_key ON api_key.id = turn.key_id
  LEFT JOIN upstream ON upstream.id = turn.upstream_id`);

/** The part of a list that is asked for: at most `limit` turns, older than the turn of the UUID `before`. */
interface TurnPage {
  readonly before: string | undefined;
  readonly limit: number;
}

/** Turns, newest first. Never touches bodies, except to search them. */
export async function listTurns(
  prisma: PrismaService,
  filter: TurnFilter,
  { before, limit }: TurnPage,
): Promise<TurnRow[]> {
  return rowsOf(prisma, newest(filter, before), limit);
}

/** The first `limit` turns of a query, with the names of their references. */
const rowsOf = (prisma: PrismaService, turns: Prisma.Sql, limit: number): Promise<TurnRow[]> =>
  prisma.$queryRaw<TurnRow[]>`
    SELECT ${COLUMNS} FROM (${turns} LIMIT ${limit}) AS turn ${NAMES} ORDER BY turn.at DESC, turn.id DESC`;

/**
 * A page of turns, newest first. `next`: the UUID from which the list goes on; null: this is its end. A search of bodies
 * looks only so far back: then a page has fewer turns than `limit`, or none, and a `next`.
 */
export async function pageOfTurns(
  prisma: PrismaService,
  filter: TurnFilter,
  { before, limit }: TurnPage,
  bounds?: SearchBounds,
): Promise<{ readonly turns: readonly TurnRow[]; readonly next: string | null }> {
  const bodies = await searchBodies(prisma, filter, before, bounds);
  const turns = await rowsOf(prisma, newest(filter, before, bodies && rowsOfFound(bodies)), limit + 1);
  const next = turns.length > limit ? (turns[limit - 1]?.id ?? null) : (bodies?.next ?? null);
  return { turns: turns.slice(0, limit), next };
}

/**
 * Turns from the newest on, older than the turn of the UUID `before`; with a condition on message content, found
 * through the bodies, `among` those of a search or among all, which takes long if many have the words; with one on
 * calls, through the calls, whose indexes are in the same order.
 */
export function newest(filter: TurnFilter, before: string | undefined, among?: Prisma.Sql): Prisma.Sql {
  const calls = whereOfCalls(filter);
  const where = whereOfBodies(filter);
  // OFFSET 0 keeps the planner from reading all bodies in order: it takes reading a text for far cheaper than it is.
  const bodies =
    among ??
    (where &&
      sql`
        SELECT turn_id, at FROM turn_body WHERE ${where.exact ?? where.indexed}
          AND at >= ${filter.from} AND at < ${filter.to} ${andOlder('at', 'turn_id', before)} OFFSET 0`);
  // And here from joining whole days: the driving table is read in order, until the page is full.
  if (bodies)
    return sql`
      SELECT turn.* FROM (${bodies}) AS body, LATERAL (
        SELECT * FROM turn WHERE turn.id = body.turn_id AND turn.at = body.at AND ${whereOfTurns(filter)}
          ${calls ? withCall(calls) : Prisma.empty} OFFSET 0
      ) AS turn
      ORDER BY body.at DESC, body.turn_id DESC`;
  const { group, modelId = group?.modelId ?? undefined } = filter;
  // What a group has in common is correlated, so the planner expects hardly any row and would sort those of all days.
  if (!calls && group)
    return sql`
      SELECT turn.* FROM turn, LATERAL (SELECT 1 WHERE ${join(whereOfGroup(group), ' AND ')} OFFSET 0) AS fitting
      WHERE ${whereOfTurns({ ...filter, modelId, failures: true, group: undefined })} ${andOlder('turn.at', 'turn.id', before)}
      ORDER BY turn.at DESC, turn.id DESC`;
  if (!calls)
    return sql`
      SELECT * FROM turn WHERE ${whereOfTurns(filter)} ${andOlder('turn.at', 'turn.id', before)}
      ORDER BY turn.at DESC, turn.id DESC`;
  return sql`
    SELECT DISTINCT ON (call.at, call.turn_id) turn.* FROM call, LATERAL (
      SELECT * FROM turn WHERE turn.id = call.turn_id AND turn.at = call.at AND ${whereOfTurns(filter)} OFFSET 0
    ) AS turn
    WHERE ${calls} AND call.at >= ${filter.from} AND call.at < ${filter.to} ${andOlder('call.at', 'call.turn_id', before)}
    ORDER BY call.at DESC, call.turn_id DESC`;
}

/** The condition that a turn has a call that satisfies `calls`. */
const withCall = (calls: Prisma.Sql): Prisma.Sql =>
  sql`AND EXISTS (SELECT 1 FROM call WHERE call.turn_id = turn.id AND call.at = turn.at AND ${calls})`;

/** One turn by its UUID; undefined: none, or dropped by retention. `teamId`: of this team only. */
export async function findTurn(
  prisma: PrismaService,
  id: string,
  teamId: string | undefined,
): Promise<TurnRow | undefined> {
  const own = teamId === undefined ? Prisma.empty : sql`AND turn.team_id = ${teamId}`;
  const [row] = await prisma.$queryRaw<TurnRow[]>`
    SELECT ${COLUMNS} FROM turn ${NAMES} WHERE turn.id = ${id}::uuid AND turn.at = ${turnTime(id)} ${own}`;
  return row;
}
