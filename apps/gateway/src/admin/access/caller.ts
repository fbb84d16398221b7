import type { Access } from '@callsmith/contracts';
import type { KeyOfSession } from '@callsmith/data/users';
import { Fault } from '@callsmith/turn';

/** Who calls the admin API. */
export interface Caller {
  /** As the audit names it: a user's id, `admin-key`, or a key's id where its owner calls. */
  readonly actor: string;
  readonly role: Access;
  /** Undefined: no user (an admin key, or nobody). */
  readonly userId: string | undefined;
  readonly teamId: string | undefined;
  /** The session's hash. Undefined: not by a session. */
  readonly session: string | undefined;
  /** The key whose owner calls; undefined: no owner of one. */
  readonly ownKey?: KeyOfSession;
}

/** Who calls an endpoint that is open to anyone. */
export const nobody: Caller = {
  actor: 'nobody',
  role: 'anyone',
  userId: undefined,
  teamId: undefined,
  session: undefined,
};

const ranks: Readonly<Record<Access, number>> = { anyone: 0, 'key-owner': 0, viewer: 1, editor: 2, admin: 3 };

/** True if a role includes the rights of another; what is for the owner of a key no role includes. */
export const isAtLeast = (role: Access, needed: Access): boolean =>
  needed === 'key-owner' ? role === needed : ranks[role] >= ranks[needed];

/** The one team a caller is confined to; undefined: all teams. Someone without a team sees the rows of none. */
export const confinedTo = (caller: Caller): string | undefined =>
  caller.role === 'admin' ? undefined : (caller.teamId ?? '');

/** True if a row of a team is for the caller to see. */
export function maySeeTeam(caller: Caller, teamId: string | null | undefined): boolean {
  const team = confinedTo(caller);
  return team === undefined || team === teamId;
}

/** Throws a 404 if a row belongs to a team that is not the caller's: its existence is not told (security 29). */
export function refuseOtherTeam(caller: Caller, teamId: string | null | undefined, what: string): void {
  if (!maySeeTeam(caller, teamId)) throw new Fault('not_found', `${what[0]?.toUpperCase()}${what.slice(1)} not found.`);
}

/** The team to filter by: what was asked for, if the caller may see it, else the own one. Throws a 404 for a foreign one. */
export function teamToFilterBy(caller: Caller, asked: string | undefined): string | undefined {
  if (asked !== undefined) refuseOtherTeam(caller, asked, 'team');
  return asked ?? confinedTo(caller);
}
