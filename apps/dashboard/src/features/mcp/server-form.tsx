import { api, type InputOf, type McpServer } from '@callsmith/contracts';
import { NumberInput, PasswordInput, Select, Switch, TextInput } from '@mantine/core';
import { client } from '../../lib/api.ts';
import { plural } from '../../lib/format.ts';
import { useApiForm } from '../../lib/use-api-form.ts';
import { Fields } from '../../ui/fields.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';

type NewBody = InputOf<typeof api.mcpServers.create>['body'];
type Amount = number | string;

const valuesOf = (server: McpServer | undefined) => ({
  name: server?.name ?? '',
  url: server?.url ?? '',
  auth: (server?.auth ?? 'none') as McpServer['auth'],
  authName: server?.authName ?? '',
  authIssuer: server?.authIssuer ?? '',
  credential: '',
  timeoutMs: (server?.timeoutMs ?? 60_000) as Amount,
  callsPerMinute: (server?.callsPerMinute ?? '') as Amount,
  concurrentCalls: (server?.concurrentCalls ?? '') as Amount,
  enabled: server?.enabled ?? true,
});

/** The form as the API takes it; of a program on the host only what may be changed here. */
function bodyOf(
  { name, url, auth, authName, authIssuer, credential, ...values }: ReturnType<typeof valuesOf>,
  server?: McpServer,
) {
  const { timeoutMs, callsPerMinute, concurrentCalls, enabled } = values;
  const limits = {
    timeoutMs,
    callsPerMinute: callsPerMinute === '' ? null : callsPerMinute,
    concurrentCalls: concurrentCalls === '' ? null : concurrentCalls,
  };
  if (server?.origin === 'file') return { ...limits, enabled };
  return {
    name,
    url,
    auth,
    authName: authName.trim() || null,
    authIssuer: authIssuer.trim() || null,
    // Left out where nothing was typed, so that a stored one stays.
    ...(credential !== '' && { credential }),
    ...limits,
    ...(server && { enabled }),
  };
}

const nameLabels = { header: 'Header', oauth: 'Client ID' } as const;
const secretLabels = { bearer: 'Token', header: 'Value', oauth: 'Client secret' } as const;

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
  const { auth } = form.values;
  return (
    <FormDialog
      form={form}
      title={server ? `Edit ${server.name}` : 'Add MCP server'}
      action={server ? 'Save' : 'Add'}
      onClose={onClose}
    >
      {server?.origin !== 'file' && (
        <>
          <TextInput
            label="URL"
            placeholder="https://example.com/mcp"
            description="Its streamable HTTP endpoint"
            {...form.getInputProps('url')}
            data-autofocus
          />
          <Fields>
            <TextInput label="Name" description="Prefix of its tools: name__tool" {...form.getInputProps('name')} />
            <Select
              label="Authentication"
              description="How Callsmith signs in to the server"
              data={[
                { value: 'none', label: 'none' },
                { value: 'bearer', label: 'token' },
                { value: 'header', label: 'header' },
                { value: 'oauth', label: 'OAuth client credentials' },
              ]}
              {...form.getInputProps('auth')}
              allowDeselect={false}
            />
          </Fields>
          {auth !== 'none' && (
            <Fields>
              {auth === 'oauth' && (
                <TextInput
                  label="Authorization server"
                  description="Its issuer URL; the secret is sent only there"
                  {...form.getInputProps('authIssuer')}
                />
              )}
              {auth !== 'bearer' && <TextInput label={nameLabels[auth]} {...form.getInputProps('authName')} />}
              <PasswordInput
                label={secretLabels[auth]}
                description={
                  server?.hasCredential
                    ? 'One is stored. Enter a new one to replace it.'
                    : 'Stored encrypted, never shown again.'
                }
                autoComplete="off"
                {...form.getInputProps('credential')}
              />
            </Fields>
          )}
        </>
      )}
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
