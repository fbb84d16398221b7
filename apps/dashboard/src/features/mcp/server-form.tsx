import { api, type InputOf, type McpServer } from '@callsmith/contracts';
import { NumberInput, Switch } from '@mantine/core';
import { client } from '../../lib/api.ts';
import { plural } from '../../lib/format.ts';
import { useApiForm } from '../../lib/use-api-form.ts';
import { Fields } from '../../ui/fields.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { ConnectionFields } from './connection-fields.tsx';
import { bodyOf, valuesOf } from './server-values.ts';

type NewBody = InputOf<typeof api.mcpServers.create>['body'];
/** Adds a server, or changes one. */
export function ServerForm({ of: server, onClose }: { of?: McpServer; onClose: () => void }) {
  const form = useApiForm({
    initialValues: valuesOf(server),
    schema: server ? api.mcpServers.change.body : api.mcpServers.create.body,
    bodyOf: (values) => bodyOf(values, server),
    messages: {
      name: 'Enter a name of lower-case letters and digits, separated by single - or _.',
      url: 'Enter the URL of the server.',
    },
    send: (body) =>
      server
        ? client.mcpServers.change({ params: { id: server.id }, body })
        : client.mcpServers.create({ body: body as NewBody }),
    outdates: ['mcp-servers'],
    saved: ({ name, health, tools }) =>
      health?.ok === false ? `${name} saved, but not reachable.` : `${name} saved. ${plural(tools.length, 'tool')}.`,
    onSaved: onClose,
  });
  return (
    <FormDialog
      form={form}
      title={server ? `Edit ${server.name}` : 'Add MCP server'}
      action={server ? 'Save' : 'Add'}
      onClose={onClose}
    >
      {server?.origin !== 'file' && <ConnectionFields form={form} stored={server?.hasCredential === true} />}
      <Fields>
        <NumberInput label="Call timeout (ms)" {...form.getInputProps('timeoutMs')} min={100} thousandSeparator=" " />
        <NumberInput
          label="Calls per minute per key"
          placeholder="no limit"
          {...form.getInputProps('callsPerMinute')}
          min={1}
        />
        <NumberInput
          label="Concurrent calls per key"
          placeholder="no limit"
          {...form.getInputProps('concurrentCalls')}
          min={1}
        />
      </Fields>
      {server && <Switch label="Enabled" {...form.getInputProps('enabled', { type: 'checkbox' })} />}
    </FormDialog>
  );
}
