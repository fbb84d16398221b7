import { upstreamApiChoices, upstreamKind } from '@callsmith/contracts';
import { NumberInput, PasswordInput, Select, Stack, Textarea, TextInput } from '@mantine/core';
import type { ApiForm } from '../../lib/use-api-form.ts';
import { Fields } from '../../ui/fields.tsx';
import { Folded } from '../../ui/folded.tsx';
import { kindNames } from './kinds.ts';
import type { UpstreamValues } from './upstream-values.ts';

type UpstreamForm = Pick<ApiForm<UpstreamValues>, 'errors' | 'getInputProps' | 'setFieldValue' | 'values'>;

const limits = {
  connectTimeoutMs: 'Connect timeout (ms)',
  firstByteTimeoutMs: 'First-byte timeout (ms)',
  idleTimeoutMs: 'Idle timeout (ms)',
  maxConnections: 'Max connections',
} as const;

const addressing = ['credentialHeader', 'credentialScheme', 'headers'] as const;

/** The fields of an upstream. */
export const UpstreamFields = ({ form, hasCredential }: { form: UpstreamForm; hasCredential: boolean }) => (
  <>
    <BaseUrl form={form} />
    <Fields>
      <TextInput label="Name" {...form.getInputProps('name')} />
      <Select
        label="Kind"
        data={[
          { value: 'find', label: 'auto-detect' },
          ...upstreamKind.options.map((kind) => ({ value: kind, label: kindNames[kind] })),
        ]}
        {...form.getInputProps('kind')}
        allowDeselect={false}
      />
      <Select
        label="API"
        data={[{ value: 'auto', label: 'auto: by its kind' }, ...upstreamApiChoices]}
        {...form.getInputProps('api')}
        allowDeselect={false}
      />
    </Fields>
    <PasswordInput
      label="Model server API key"
      description={
        hasCredential
          ? 'A key is stored. Enter a new one to replace it.'
          : 'Optional. Stored encrypted, never shown again.'
      }
      autoComplete="off"
      {...form.getInputProps('credential')}
    />
    <Folded title="Headers" refused={addressing.some((name) => Boolean(form.errors[name]))}>
      <Stack>
        <Fields>
          <TextInput label="API key header" placeholder="Authorization" {...form.getInputProps('credentialHeader')} />
          <TextInput
            label="API key scheme"
            description="Word in front of the key, such as Bearer, or none"
            placeholder={form.values.credentialHeader.trim() === '' ? 'Bearer' : 'none'}
            {...form.getInputProps('credentialScheme')}
          />
        </Fields>
        <Textarea
          label="Additional headers"
          description="One per line, for example X-Title: Callsmith. Values are stored encrypted and never shown again; •••• keeps the stored one."
          autosize
          minRows={2}
          {...form.getInputProps('headers')}
        />
      </Stack>
    </Folded>
    <Folded title="Timeouts and connections" refused={Object.keys(limits).some((name) => Boolean(form.errors[name]))}>
      <Stack>
        <Fields>
          <Limit form={form} name="connectTimeoutMs" />
          <Limit form={form} name="firstByteTimeoutMs" />
        </Fields>
        <Fields>
          <Limit form={form} name="idleTimeoutMs" />
          <Limit form={form} name="maxConnections" />
        </Fields>
      </Stack>
    </Folded>
  </>
);

const Limit = ({ form, name }: { form: UpstreamForm; name: keyof typeof limits }) => (
  <NumberInput label={limits[name]} {...form.getInputProps(name)} min={1} thousandSeparator=" " />
);

/** The name follows the host until somebody types another. */
const BaseUrl = ({ form }: { form: UpstreamForm }) => (
  <TextInput
    label="Base URL"
    description="With or without /v1, for example http://gpu:8000. A path and a query of its own are kept."
    {...form.getInputProps('baseUrl')}
    onChange={({ currentTarget: { value } }) => {
      if (form.values.name === hostOf(form.values.baseUrl)) form.setFieldValue('name', hostOf(value));
      form.setFieldValue('baseUrl', value);
    }}
    data-autofocus
  />
);

function hostOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return '';
  }
}
