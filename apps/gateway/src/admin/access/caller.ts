import type { Access } from '@callsmith/contracts';
import type { KeyOfSession } from '@callsmith/data/users';
import { Fault } from '@callsmith/turn';

/** Who calls the admin API. */
export interface Caller {
  /** The actor in the audit log: a user's id, `admin-key`, or a key's id if its owner calls. */
  readonly actor: string;
  readonly role: Access;
  /** Undefined: no user (an admin key, or an anonymous caller). */
  readonly userId: string | undefined;
  readonly teamId: string | undefined;
  /** The session's hash; undefined: called without a session. */
  readonly session: string | undefined;
  /** The key whose owner calls; undefined: not called by a key's owner. */
  readonly ownKey?: KeyOfSession;
}

/** The caller of an endpoint that is open to anyone. */
export const nobody: Caller = {
  actor: 'nobody',
  role: 'anyone',
  userId: undefined,
  teamId: undefined,
  session: undefined,
};

const ranks: Readonly<Record<Access, number>> = { anyone: 0, 'key-owner': 0, viewer: 1, editor: 2, admin: 3 };

/** True if a role includes the rights of another; no role includes those of a key's owner. */
export const isAtLeast = (role: Access, needed: Access): boolean =>
  needed === 'key-owner' ? role === needed : ranks[role] >= ranks[needed];

/** The one team a caller is confined to; undefined: all teams. A user without a team sees no team's rows. */
export const confinedTo = (caller: Caller): string | undefined =>
  caller.role === 'admin' ? undefined : (caller.teamId ?? '');

/** True if the caller may see a team's row. */
export function maySeeTeam(caller: Caller, teamId: string | null | undefined): boolean {
  const team = confinedTo(caller);
  return team === undefined || team === teamId;
}

/**
 * Throws a 404 if a row belongs to another team than the caller's, so that its existence stays hidden (security 29).
 */
export function refuseOtherTeam(caller: Caller, teamId: string | null | undefined, what: string): void {
  if (!maySeeTeam(caller, teamId)) throw new Fault('not_found', `${what[0]?.toUpperCase()}${what.slice(1)} not found.`);
}

/**
 * The team to filter by: the requested one if the caller may see it, else the caller's own. Throws a 404 for another
 * team.
 */
export function teamToFilterBy(caller: Caller, requestedTeam: string | undefined): string | undefined {
  if (requestedTeam !== undefined) refuseOtherTeam(caller, requestedTeam, 'team');
  return requestedTeam ?? confinedTo(caller);
}
