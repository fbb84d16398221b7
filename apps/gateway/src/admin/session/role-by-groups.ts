import type { GroupRole } from '@callsmith/config';

const ranks = { viewer: 1, editor: 2, admin: 3 } as const;

/** The highest role that a user's groups give; among equal ones the first in the settings. Undefined: none. */
export function roleByGroups(groups: unknown, roles: readonly GroupRole[]): GroupRole | undefined {
  const own = new Set(typeof groups === 'string' ? [groups] : Array.isArray(groups) ? groups : []);
  return roles
    .filter(({ group }) => own.has(group))
    .reduce<GroupRole | undefined>(
      (best, one) => (best === undefined || ranks[one.role] > ranks[best.role] ? one : best),
      undefined,
    );
}
