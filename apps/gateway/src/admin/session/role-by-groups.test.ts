import { expect, it } from 'vitest';
import { roleByGroups } from './role-by-groups.ts';

const roles = [
  { group: 'ml', role: 'viewer', team: 'a' },
  { group: 'ops', role: 'editor', team: 'b' },
  { group: 'dev', role: 'editor', team: 'c' },
  { group: 'root', role: 'admin', team: undefined },
] as const;

it('the highest role counts, among equal ones the first in the settings', () => {
  expect(roleByGroups(['dev', 'ops', 'ml'], roles)?.team).toBe('b');
  expect(roleByGroups(['ml', 'root'], roles)?.role).toBe('admin');
  expect(roleByGroups('ml', roles)?.team).toBe('a');
});

it.each([undefined, null, {}, 'other', [], [{ name: 'root' }], 7])('%j gives no role', (groups) => {
  expect(roleByGroups(groups, roles)).toBeUndefined();
});
