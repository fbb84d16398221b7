import { api } from '@callsmith/contracts';
import { NumberInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { client } from '../../lib/api.ts';
import { type ApiForm, useApiForm } from '../../lib/use-api-form.ts';
import { Fields } from '../../ui/fields.tsx';
import { PageForm } from '../../ui/page-form.tsx';
import { type Settings, settingsQuery } from './queries.ts';

/** The settings as they are typed; the share of clean requests in percent. */
type Values = Record<keyof Settings, number | string>;

/** Changes sampling and retention. */
export function SettingsForm({ settings }: { settings: Settings }) {
  const queryClient = useQueryClient();
  const form = useApiForm({
    initialValues: valuesOf(settings),
    schema: api.installation.changeSettings.body,
    bodyOf: (values) => ({ ...values, cleanShare: Number(values.cleanShare) / 100 }),
    messages: { cleanShare: 'Must be from 0 to 100 %.' },
    send: (body) => client.installation.changeSettings({ body }),
    saved: () => 'Saved.',
    onSaved: (reply) => queryClient.setQueryData(settingsQuery.queryKey, reply),
  });
  return (
    <PageForm form={form} action="Save" maxWidth={760}>
      <Fields>
        <Amount
          form={form}
          name="cleanShare"
          label="Sample of clean requests"
          description="All failed, invalid and repaired requests are stored, up to the limit below."
          suffix=" %"
        />
        <Amount
          form={form}
          name="cleanPerMinute"
          label="Clean requests per minute"
          description="Maximum stored; further requests are only counted."
        />
      </Fields>
      <Amount
        form={form}
        name="failuresPerMinute"
        label="Failures per minute"
        description="Maximum stored across all models, per gateway; further failures are only counted."
      />
      <Fields>
        <Amount
          form={form}
          name="bodyDays"
          label="Store request and response bodies for"
          description="Then they are deleted; metrics stay."
          suffix=" days"
        />
        <Amount
          form={form}
          name="turnDays"
          label="Keep request metadata for"
          description="Charts reach further back: they are built from totals."
          suffix=" days"
        />
      </Fields>
    </PageForm>
  );
}

const valuesOf = (settings: Settings): Values => ({
  ...settings,
  cleanShare: Math.round(settings.cleanShare * 1000) / 10,
});

const Amount = ({
  form,
  name,
  ...words
}: {
  form: Pick<ApiForm<Values>, 'getInputProps'>;
  name: keyof Values;
  label: string;
  description: string;
  suffix?: string;
}) => <NumberInput {...words} {...form.getInputProps(name)} min={0} clampBehavior="none" />;
