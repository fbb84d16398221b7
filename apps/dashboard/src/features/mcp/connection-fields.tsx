import { PasswordInput, Select, TextInput } from '@mantine/core';
import type { ApiForm } from '../../lib/use-api-form.ts';
import { Fields } from '../../ui/fields.tsx';
import type { ServerValues } from './server-values.ts';

const nameLabels = { header: 'Header', oauth: 'Client ID' } as const;
const secretLabels = { bearer: 'Token', header: 'Value', oauth: 'Client secret' } as const;

/** Where a server is, and how Callsmith signs in to it. `stored`: it has a secret already. */
export function ConnectionFields({ form, stored }: { form: ApiForm<ServerValues>; stored: boolean }) {
  const { auth } = form.values;
  return (
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
              stored ? 'One is stored. Enter a new one to replace it.' : 'Stored encrypted, never shown again.'
            }
            autoComplete="off"
            {...form.getInputProps('credential')}
          />
        </Fields>
      )}
    </>
  );
}
