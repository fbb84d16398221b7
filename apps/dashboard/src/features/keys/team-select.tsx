import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { ApiForm } from '../../lib/use-api-form.ts';
import { teamsQuery } from './queries.ts';

/** Picks a team; the first one that is not the demo’s is preselected. */
export function TeamSelect({
  form,
}: {
  form: Pick<
    ApiForm<{ teamId: string }>,
    'getInputProps' | 'getValues' | 'setInitialValues' | 'setFieldValue' | 'values'
  >;
}) {
  const teams = useQuery(teamsQuery);
  const items = (teams.data?.items ?? []).filter((team) => !team.demo);
  const first = items[0]?.id;
  const { values } = form;
  // The preselected one is known only when the teams have come from the server; it is no change of anybody's.
  useEffect(() => {
    if (values.teamId !== '' || !first) return;
    form.setInitialValues({ ...values, teamId: first });
    form.setFieldValue('teamId', first);
  });
  return (
    <Select
      label="Team"
      data={items.map((team) => ({ value: team.id, label: team.name }))}
      {...form.getInputProps('teamId')}
      value={values.teamId || null}
      allowDeselect={false}
      searchable={items.length > 8}
    />
  );
}
