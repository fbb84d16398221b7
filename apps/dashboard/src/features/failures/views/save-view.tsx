import { api, type ViewScreen } from '@callsmith/contracts';
import { Checkbox, Select, Text, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useAddress } from '../../../lib/address.ts';
import { client } from '../../../lib/api.ts';
import { hasRole, sessionKey, useMe } from '../../../lib/session.ts';
import { useApiForm } from '../../../lib/use-api-form.ts';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { teamsQuery } from '../../teams/queries.ts';
import { viewsQuery } from './queries.ts';
import { viewIn, viewText } from './view-address.ts';

/** Saves what the screen shows under a name, for oneself or, by who manages a team, for the team. */
export function SaveView({ screen, onClose }: { screen: ViewScreen; onClose: () => void }) {
  const address = viewIn(useAddress().params);
  const queryClient = useQueryClient();
  const manages = hasRole(useMe(), 'editor');
  const teams = useQuery({ ...teamsQuery, enabled: manages });
  const form = useApiForm({
    initialValues: { name: '', teamId: '', isDefault: false },
    schema: api.savedViews.create.body,
    bodyOf: ({ name, teamId }) => ({ screen, name, address, teamId: teamId || null }),
    messages: { name: 'Enter a name of up to 80 characters.' },
    send: async (body) => {
      const view = await client.savedViews.create({ body });
      if (!form.getValues().isDefault) return view;
      return client.savedViews.change({ params: { id: view.id }, body: { isDefault: true } });
    },
    outdates: viewsQuery.queryKey,
    saved: ({ name }) => `View ${name} saved.`,
    onSaved: () => {
      void queryClient.invalidateQueries({ queryKey: sessionKey });
      onClose();
    },
  });
  return (
    <FormDialog form={form} title="Save view" action="Save view" onClose={onClose}>
      <Text fz="sm" c="dimmed">
        {viewText(address, screen)}
      </Text>
      <TextInput label="Name" {...form.getInputProps('name')} maxLength={80} data-autofocus />
      {manages && (
        <Select
          label="Visible to"
          data={[
            { value: '', label: 'Only you' },
            ...(teams.data?.items ?? []).map(({ id, name }) => ({ value: id, label: `Team ${name}` })),
          ]}
          allowDeselect={false}
          {...form.getInputProps('teamId')}
        />
      )}
      <Checkbox label="Open this view by default" {...form.getInputProps('isDefault', { type: 'checkbox' })} />
    </FormDialog>
  );
}
