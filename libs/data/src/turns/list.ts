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

/** Turns, newest first; `before`: older than the turn of this UUID. Never touches bodies. */
export async function listTurns(
  prisma: PrismaService,
  filter: TurnFilter,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<TurnRow[]> {
  return prisma.$queryRaw<TurnRow[]>`
    SELECT ${COLUMNS} FROM (${newest(filter, before)} LIMIT ${limit}) AS turn ${NAMES}
    ORDER BY turn.at DESC, turn.id DESC`;
}

/**
 * Turns from the newest on, older than the turn of the UUID `before`; with a condition on message content, found
 * through the bodies; with one on calls, through the calls, whose indexes are in the same order.
 */
export function newest(filter: TurnFilter, before: string | undefined): Prisma.Sql {
  const older = (at: string, id: string) =>
    before === undefined ? Prisma.empty : sql`AND (${raw(at)}, ${raw(id)}) < (${turnTime(before)}, ${before}::uuid)`;
  const calls = whereOfCalls(filter);
  const bodies = whereOfBodies(filter);
  // OFFSET 0 keeps the planner from joining whole days: the driving table is read in order, until the page is full.
  if (bodies)
    return sql`
      SELECT turn.* FROM turn_body, LATERAL (
        SELECT * FROM turn WHERE turn.id = turn_body.turn_id AND turn.at = turn_body.at AND ${whereOfTurns(filter)}
          ${calls ? withCall(calls) : Prisma.empty} OFFSET 0
      ) AS turn
      WHERE ${bodies} AND turn_body.at >= ${filter.from} AND turn_body.at < ${filter.to}
        ${older('turn_body.at', 'turn_body.turn_id')}
      ORDER BY turn_body.at DESC, turn_body.turn_id DESC`;
  if (!calls)
    return sql`
      SELECT * FROM turn WHERE ${whereOfTurns(filter)} ${older('turn.at', 'turn.id')}
      ORDER BY turn.at DESC, turn.id DESC`;
  return sql`
    SELECT DISTINCT ON (call.at, call.turn_id) turn.* FROM call, LATERAL (
      SELECT * FROM turn WHERE turn.id = call.turn_id AND turn.at = call.at AND ${whereOfTurns(filter)} OFFSET 0
    ) AS turn
    WHERE ${calls} AND call.at >= ${filter.from} AND call.at < ${filter.to} ${older('call.at', 'call.turn_id')}
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
