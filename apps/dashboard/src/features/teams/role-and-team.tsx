import type { Role, Team } from '@callsmith/contracts';
import { Select } from '@mantine/core';
import { Fields } from '../../ui/fields.tsx';

const roles: readonly { value: Role; label: string }[] = [
  { value: 'viewer', label: 'viewer: metrics only' },
  { value: 'editor', label: 'editor: creates keys, reads failures' },
  { value: 'admin', label: 'admin: full access' },
];

/** What a user may do, and in which team. */
export const RoleAndTeam = (given: {
  role: Role;
  teamId: string | null;
  teams: readonly Team[];
  errors: Readonly<Record<string, string>>;
  onChange: (changes: { role?: Role; teamId?: string | null }) => void;
}) => (
  <Fields>
    <Select
      label="Role"
      data={roles}
      value={given.role}
      onChange={(role) => given.onChange({ role: role as Role })}
      error={given.errors.role}
      allowDeselect={false}
    />
    <Select
      label="Team"
      placeholder={given.role === 'admin' ? 'All teams' : 'Select a team'}
      data={given.teams.map((team) => ({ value: team.id, label: team.name }))}
      value={given.teamId}
      onChange={(teamId) => given.onChange({ teamId })}
      error={given.errors.teamId}
      clearable
    />
  </Fields>
);
