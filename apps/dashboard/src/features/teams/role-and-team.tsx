import type { Role, Team } from '@callsmith/contracts';
import { Select } from '@mantine/core';
import type { ApiForm } from '../../lib/use-api-form.ts';
import { Fields } from '../../ui/fields.tsx';

const roles: readonly { value: Role; label: string }[] = [
  { value: 'viewer', label: 'viewer: metrics only' },
  { value: 'editor', label: 'editor: creates keys, reads failures' },
  { value: 'admin', label: 'admin: full access' },
];

/** What a user may do, and in which team. */
export const RoleAndTeam = ({
  form,
  teams,
}: {
  form: Pick<ApiForm<{ role: Role; teamId: string | null }>, 'getInputProps' | 'values'>;
  teams: readonly Team[];
}) => (
  <Fields>
    <Select label="Role" data={roles} {...form.getInputProps('role')} allowDeselect={false} />
    <Select
      label="Team"
      placeholder={form.values.role === 'admin' ? 'All teams' : 'Select a team'}
      data={teams.map((team) => ({ value: team.id, label: team.name }))}
      {...form.getInputProps('teamId')}
      clearable
    />
  </Fields>
);
