import { api, type InputOf, type Upstream } from '@callsmith/contracts';
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { client } from '../../lib/api.ts';
import { plural } from '../../lib/format.ts';
import { useApiForm } from '../../lib/use-api-form.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { ConnectionResult } from './connection-result.tsx';
import { UpstreamFields } from './upstream-fields.tsx';
import { bodyOf, valuesOf } from './upstream-values.ts';

type NewBody = InputOf<typeof api.upstreams.create>['body'];

/** Adds an upstream, or changes one; tries the connection first if asked, without saving anything. */
export function UpstreamForm({ of: upstream, onClose }: { of?: Upstream; onClose: () => void }) {
  const form = useApiForm({
    initialValues: valuesOf(upstream),
    schema: upstream ? api.upstreams.change.body : api.upstreams.create.body,
    bodyOf,
    messages: { baseUrl: 'Enter the URL of the model server.', name: 'Enter a name of up to 100 characters.' },
    send: (body) =>
      upstream
        ? client.upstreams.change({ params: { id: upstream.id }, body })
        : client.upstreams.create({ body: body as NewBody }),
    outdates: [],
    saved: ({ name, models }) =>
      models.length > 0 ? `${name} saved. ${plural(models.length, 'model')} available.` : `${name} saved.`,
    onSaved: onClose,
  });
  const test = useMutation({
    mutationFn: (body: InputOf<typeof api.upstreams.test>['body']) => client.upstreams.test({ body }),
  });
  const testConnection = () => {
    const { baseUrl, kind, credential = null, credentialHeader, credentialScheme, headers } = bodyOf(form.getValues());
    const connection = { baseUrl, kind, credential, credentialHeader, credentialScheme, headers };
    const body = { ...connection, ...(upstream && { id: upstream.id }) };
    form.attempt(api.upstreams.test.body, body, (checked) => test.mutateAsync(checked));
  };
  return (
    <FormDialog
      form={form}
      title={upstream ? `Edit ${upstream.name}` : 'Add upstream'}
      action={upstream ? 'Save' : 'Add'}
      onClose={onClose}
      aside={
        <Button variant="default" onClick={testConnection} loading={test.isPending}>
          Test connection
        </Button>
      }
    >
      <UpstreamFields form={form} hasCredential={upstream?.hasCredential ?? false} />
      {test.data && <ConnectionResult result={test.data} />}
    </FormDialog>
  );
}
