import { api, type Upstream, upstreamKind } from '@callsmith/contracts';
import { Button, NumberInput, PasswordInput, Select, Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { client } from '../../lib/api.ts';
import { useForm } from '../../lib/form.ts';
import { plural } from '../../lib/format.ts';
import { Fields } from '../../ui/fields.tsx';
import { Folded } from '../../ui/folded.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { toast } from '../../ui/toast.tsx';
import { Found } from './found.tsx';
import { kindNames } from './kinds.ts';

type Given = Parameters<typeof client.upstreams.create>[0]['body'];

/** Adds an upstream, or changes one; tries the connection first if asked, without saving anything. */
export function UpstreamForm({ of: upstream, onClose }: { of?: Upstream; onClose: () => void }) {
  const queryClient = useQueryClient();
  const form = useForm(valuesOf(upstream));
  const { values, errors } = form;
  const test = useMutation({
    mutationFn: (body: Parameters<typeof client.upstreams.test>[0]['body']) => client.upstreams.test({ body }),
    onError: form.refuse,
  });
  const save = useMutation({
    mutationFn: (body: Given) =>
      upstream ? client.upstreams.change({ params: { id: upstream.id }, body }) : client.upstreams.create({ body }),
    onSuccess: async ({ name, models }) => {
      await queryClient.invalidateQueries();
      toast(models.length > 0 ? `${name} saved. ${plural(models.length, 'model')} available.` : `${name} saved.`);
      onClose();
    },
    onError: form.refuse,
  });
  const tryIt = () => {
    const { baseUrl, kind, credential } = bodyOf(values);
    const body = form.check(api.upstreams.test.body, {
      baseUrl,
      kind,
      credential: credential ?? null,
      ...(upstream && { id: upstream.id }),
    });
    if (body) test.mutate(body);
  };
  const submit = () => {
    const body = form.check(upstream ? api.upstreams.change.body : api.upstreams.create.body, bodyOf(values));
    if (body) save.mutate(body as Given);
  };
  const number = (
    name: 'connectTimeoutMs' | 'firstByteTimeoutMs' | 'idleTimeoutMs' | 'maxConnections',
    label: string,
  ) => (
    <NumberInput
      label={label}
      value={values[name]}
      onChange={(value) => form.set({ [name]: value })}
      error={errors[name]}
      min={1}
      thousandSeparator=" "
    />
  );
  return (
    <FormDialog
      title={upstream ? `Edit ${upstream.name}` : 'Add upstream'}
      action={upstream ? 'Save' : 'Add'}
      running={save.isPending}
      problem={form.problem}
      onSubmit={submit}
      onClose={onClose}
      aside={
        <Button variant="default" onClick={tryIt} loading={test.isPending}>
          Test connection
        </Button>
      }
    >
      <TextInput
        label="Base URL"
        description="With or without /v1, for example http://gpu:8000"
        value={values.baseUrl}
        onChange={(event) =>
          form.set({ baseUrl: event.currentTarget.value, ...named(values, event.currentTarget.value) })
        }
        error={errors.baseUrl}
        data-autofocus
      />
      <Fields>
        <TextInput
          label="Name"
          value={values.name}
          onChange={(event) => form.set({ name: event.currentTarget.value })}
          error={errors.name}
        />
        <Select
          label="Kind"
          data={[
            { value: 'find', label: 'auto-detect' },
            ...upstreamKind.options.map((kind) => ({ value: kind, label: kindNames[kind] })),
          ]}
          value={values.kind}
          onChange={(kind) => form.set({ kind: kind ?? 'find' })}
          allowDeselect={false}
        />
      </Fields>
      <PasswordInput
        label="Model server API key"
        description={
          upstream?.hasCredential
            ? 'A key is stored. Enter a new one to replace it.'
            : 'Optional. Stored encrypted, never shown again.'
        }
        autoComplete="off"
        value={values.credential}
        onChange={(event) => form.set({ credential: event.currentTarget.value })}
        error={errors.credential}
      />
      <Folded title="Timeouts and connections">
        <Stack>
          <Fields>
            {number('connectTimeoutMs', 'Connect timeout (ms)')}
            {number('firstByteTimeoutMs', 'First-byte timeout (ms)')}
          </Fields>
          <Fields>
            {number('idleTimeoutMs', 'Idle timeout (ms)')}
            {number('maxConnections', 'Max connections')}
          </Fields>
        </Stack>
      </Folded>
      {test.data && <Found result={test.data} />}
    </FormDialog>
  );
}

const valuesOf = (upstream: Upstream | undefined) => ({
  name: upstream?.name ?? '',
  baseUrl: upstream?.baseUrl ?? '',
  kind: upstream?.kind.source === 'declared' ? (upstream.kind.value ?? 'find') : 'find',
  credential: '',
  connectTimeoutMs: (upstream?.connectTimeoutMs ?? 10_000) as number | string,
  firstByteTimeoutMs: (upstream?.firstByteTimeoutMs ?? 300_000) as number | string,
  idleTimeoutMs: (upstream?.idleTimeoutMs ?? 300_000) as number | string,
  maxConnections: (upstream?.maxConnections ?? 1024) as number | string,
});
type Values = ReturnType<typeof valuesOf>;

const bodyOf = ({ kind, credential, ...values }: Values) => ({
  ...values,
  kind: kind === 'find' ? null : kind,
  // Left out where nothing was typed, so that a stored one stays.
  ...(credential !== '' && { credential }),
});

// The name follows the host until somebody types another.
function named(values: Values, baseUrl: string): { name?: string } {
  return values.name === hostOf(values.baseUrl) ? { name: hostOf(baseUrl) } : {};
}

function hostOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return '';
  }
}
