import { columnNamed, storedColumns } from '@callsmith/contracts';
import type { PrismaService } from '../database/prisma.ts';
import { Prisma, type Turn } from '../generated/prisma/client.ts';
import { turnTime } from '../ids.ts';
import { columnOf } from '../record/column-of.ts';
import { type TurnFilter, whereOfBodies, whereOfCalls, whereOfTurns } from './filter.ts';

const { sql, raw } = Prisma;

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
  return prisma.$queryRaw<TurnRow[]>`
    SELECT ${COLUMNS} FROM (${newest(filter, before)} LIMIT ${limit}) AS turn ${NAMES}
    ORDER BY turn.at DESC, turn.id DESC`;
}

/** Maximum number of bodies with the words of a search that are examined for a page, so that its time is bounded. */
const MOST_BODIES = 2_000;

/**
 * A page of turns, newest first. `next`: the UUID from which the list goes on; null: this is its end. A search of bodies
 * looks only so far back: then a page has fewer turns than `limit`, or none, and a `next`.
 */
export async function pageOfTurns(
  prisma: PrismaService,
  filter: TurnFilter,
  { before, limit }: TurnPage,
  mostBodies = MOST_BODIES,
): Promise<{ readonly turns: readonly TurnRow[]; readonly next: string | null }> {
  const bodies = newestBodies(filter, before, mostBodies);
  if (!bodies) return pageOf(await listTurns(prisma, filter, { before, limit: limit + 1 }), limit, null);
  // One row without a turn if none is found.
  const rows = await prisma.$queryRaw<(TurnRow & { bodies: number; oldest: string | null })[]>`
    WITH body AS MATERIALIZED (${bodies})
    SELECT ${COLUMNS}, examined.* FROM (
      SELECT count(*)::int AS bodies, (SELECT turn_id FROM body ORDER BY at, turn_id LIMIT 1) AS oldest FROM body
    ) AS examined LEFT JOIN (${newest(filter, before, EXAMINED)} LIMIT ${limit + 1}) AS turn ON true ${NAMES}
    ORDER BY turn.at DESC, turn.id DESC`;
  const all = (rows[0]?.bodies ?? 0) < mostBodies;
  const turns = rows.flatMap(({ bodies: _, oldest: __, ...turn }) => (turn.id === null ? [] : [turn]));
  return pageOf(turns, limit, all ? null : (rows[0]?.oldest ?? null));
}

/** `goesOn`: the next page's beginning if there is no further turn. */
const pageOf = (turns: readonly TurnRow[], limit: number, goesOn: string | null) => ({
  turns: turns.slice(0, limit),
  next: turns.length > limit ? (turns[limit - 1]?.id ?? null) : goesOn,
});

/** The bodies of a statement's part of that name. */
export const EXAMINED = raw('SELECT * FROM body');

/**
 * Turns from the newest on, older than the turn of the UUID `before`; with a condition on message content, found
 * through the bodies, or only `among` some of them; with one on calls, through the calls, whose indexes are in the same
 * order.
 */
export function newest(filter: TurnFilter, before: string | undefined, among?: Prisma.Sql): Prisma.Sql {
  const calls = whereOfCalls(filter);
  const bodies = among ?? newestBodies(filter, before);
  // OFFSET 0 keeps the planner from joining whole days: the driving table is read in order, until the page is full.
  if (bodies)
    return sql`
      SELECT turn.* FROM (${bodies}) AS body, LATERAL (
        SELECT * FROM turn WHERE turn.id = body.turn_id AND turn.at = body.at AND ${whereOfTurns(filter)}
          ${calls ? withCall(calls) : Prisma.empty} OFFSET 0
      ) AS turn
      WHERE body.fits ORDER BY body.at DESC, body.turn_id DESC`;
  if (!calls)
    return sql`
      SELECT * FROM turn WHERE ${whereOfTurns(filter)} ${older('turn.at', 'turn.id', before)}
      ORDER BY turn.at DESC, turn.id DESC`;
  return sql`
    SELECT DISTINCT ON (call.at, call.turn_id) turn.* FROM call, LATERAL (
      SELECT * FROM turn WHERE turn.id = call.turn_id AND turn.at = call.at AND ${whereOfTurns(filter)} OFFSET 0
    ) AS turn
    WHERE ${calls} AND call.at >= ${filter.from} AND call.at < ${filter.to} ${older('call.at', 'call.turn_id', before)}
    ORDER BY call.at DESC, call.turn_id DESC`;
}

/**
 * The newest bodies with the words of a search, at most `most`, and whether they fit the search; undefined: the filter has
 * no part about bodies.
 */
export function newestBodies(filter: TurnFilter, before: string | undefined, most?: number): Prisma.Sql | undefined {
  const where = whereOfBodies(filter);
  if (!where) return undefined;
  return sql`
    SELECT turn_body.turn_id, turn_body.at, ${where.exact} AS fits FROM turn_body
    WHERE ${where.indexed} AND turn_body.at >= ${filter.from} AND turn_body.at < ${filter.to}
      ${older('turn_body.at', 'turn_body.turn_id', before)}
    ORDER BY turn_body.at DESC, turn_body.turn_id DESC ${most === undefined ? Prisma.empty : sql`LIMIT ${most}`}`;
}

const older = (at: string, id: string, before: string | undefined): Prisma.Sql =>
  before === undefined ? Prisma.empty : sql`AND (${raw(at)}, ${raw(id)}) < (${turnTime(before)}, ${before}::uuid)`;

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
