import { api, type SavedView } from '@callsmith/contracts';
import { Checkbox, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useAddress } from '../../../lib/address.ts';
import { client } from '../../../lib/api.ts';
import { sessionKey } from '../../../lib/session.ts';
import { useApiForm } from '../../../lib/use-api-form.ts';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { viewsQuery } from './queries.ts';
import { shows, viewIn, viewText } from './view-address.ts';

/** Renames a saved view, or replaces what it holds with what the screen shows. */
export function EditView({ view, onClose }: { view: SavedView; onClose: () => void }) {
  const { params } = useAddress();
  const queryClient = useQueryClient();
  const currentView = viewIn(params);
  const form = useApiForm({
    initialValues: { name: view.name, replace: false },
    schema: api.savedViews.change.body,
    bodyOf: ({ name, replace }) => ({ name, ...(replace && { address: currentView }) }),
    messages: { name: 'Enter a name of up to 80 characters.' },
    send: (body) => client.savedViews.change({ params: { id: view.id }, body }),
    outdates: viewsQuery.queryKey,
    saved: ({ name }) => `View ${name} saved.`,
    onSaved: () => {
      void queryClient.invalidateQueries({ queryKey: sessionKey });
      onClose();
    },
  });
  return (
    <FormDialog form={form} title={view.name} action="Save" onClose={onClose}>
      <TextInput label="Name" {...form.getInputProps('name')} maxLength={80} data-autofocus />
      <Checkbox
        label="Replace its filters with those shown now"
        description={`Now: ${viewText(currentView, view.screen)}. The view: ${viewText(view.address, view.screen)}.`}
        disabled={shows(params, view)}
        {...form.getInputProps('replace', { type: 'checkbox' })}
      />
    </FormDialog>
  );
}
