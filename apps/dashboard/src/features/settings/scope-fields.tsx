import { MultiSelect, Select, Stack, TagsInput, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ApiForm } from '../../lib/use-api-form.ts';
import { Fields } from '../../ui/fields.tsx';
import { Folded } from '../../ui/folded.tsx';
import { modelsQuery } from '../models/queries.ts';
import { teamsQuery } from '../teams/queries.ts';
import type { WebhookValues } from './webhook-values.ts';

type ScopeForm = Pick<ApiForm<WebhookValues>, 'errors' | 'getInputProps' | 'values'>;

/** What a webhook's alerts are narrowed to, and when nothing is sent. */
export const ScopeFields = ({ form }: { form: ScopeForm }) => (
  <Folded
    title="Scope and quiet hours"
    refused={Object.keys(form.errors).some((field) => /^(scope|quietHours|timeZone)/.test(field))}
  >
    <Stack>
      <Scope form={form} />
      <Fields>
        <TextInput label="Quiet from" type="time" {...form.getInputProps('quietHours.from')} />
        <TextInput label="Quiet to" type="time" {...form.getInputProps('quietHours.to')} />
        <Select
          label="Time zone"
          data={timeZonesWith(form.values.timeZone)}
          searchable
          allowDeselect={false}
          {...form.getInputProps('timeZone')}
        />
      </Fields>
    </Stack>
  </Folded>
);

function Scope({ form }: { form: ScopeForm }) {
  const { models: modelIds, teams: teamIds, clients } = form.values.scope;
  const [opened, setAsked] = useState(false);
  const models = useQuery({ ...modelsQuery, enabled: opened || modelIds.length > 0 });
  const teams = useQuery({ ...teamsQuery, enabled: opened || teamIds.length > 0 });
  const ask = () => setAsked(true);
  return (
    <>
      <MultiSelect
        label="Only for models"
        placeholder={modelIds.length > 0 ? '' : 'all models'}
        data={optionsOf(models.data?.items, modelIds)}
        searchable
        clearable
        onDropdownOpen={ask}
        {...form.getInputProps('scope.models')}
      />
      <MultiSelect
        label="Only for teams"
        placeholder={teamIds.length > 0 ? '' : 'all teams'}
        data={optionsOf(teams.data?.items, teamIds)}
        searchable
        clearable
        onDropdownOpen={ask}
        {...form.getInputProps('scope.teams')}
      />
      <TagsInput
        label="Only for clients"
        description="The names that the client filter shows, such as cline or codex."
        placeholder={clients.length > 0 ? '' : 'all clients'}
        clearable
        {...form.getInputProps('scope.clients')}
      />
    </>
  );
}

/** Rows by their ids; an id that no row has any more is its own name. */
function optionsOf(rows: readonly { readonly id: string; readonly name: string }[] = [], chosen: readonly string[]) {
  const deletedIds = chosen.filter((id) => !rows.some((row) => row.id === id));
  return [
    ...rows.map(({ id, name }) => ({ value: id, label: name })),
    ...deletedIds.map((id) => ({ value: id, label: id })),
  ];
}

const timeZonesWith = (own: string): string[] => [...new Set(['UTC', own, ...Intl.supportedValuesOf('timeZone')])];
