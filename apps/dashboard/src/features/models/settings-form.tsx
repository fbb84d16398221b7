import {
  api,
  byCapability,
  type CapabilityName,
  capabilityLabel,
  capabilityNames,
  type Model,
} from '@callsmith/contracts';
import { NumberInput, Select, TagsInput } from '@mantine/core';
import { client } from '../../lib/api.ts';
import { useApiForm } from '../../lib/use-api-form.ts';
import { Fields } from '../../ui/fields.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { RouteFields } from './route-fields.tsx';
import { type RouteValues, routesOf } from './route-values.ts';
import { SettingFields, type SettingValues, settingsBody, settingValues } from './setting-fields.tsx';

/** Changes a model's settings; only what was changed is sent. */
export function SettingsForm({ model, onClose }: { model: Model; onClose: () => void }) {
  const before = valuesOf(model);
  const form = useApiForm({
    initialValues: before,
    schema: api.models.change.body,
    bodyOf: (values) => changesOf(bodyOf(before), bodyOf(values)),
    renamed: { routes: 'routes', aliases: 'aliases' },
    send: async (changes) => {
      if (Object.keys(changes).length > 0) await client.models.change({ params: { id: model.id }, body: changes });
    },
    outdates: ['models'],
    saved: () => 'Saved. Takes effect with the next request.',
    onSaved: onClose,
  });
  const { values } = form;
  const capability = (name: CapabilityName) => (
    <Select
      key={name}
      label={capabilityLabel(name)}
      data={[
        { value: '', label: 'auto-detect' },
        { value: 'yes', label: 'yes' },
        { value: 'no', label: 'no' },
      ]}
      value={values.capabilities[name]}
      onChange={(word) => form.setValues({ capabilities: { ...values.capabilities, [name]: word ?? '' } })}
      allowDeselect={false}
    />
  );
  return (
    <FormDialog form={form} title={`Settings of ${model.name}`} action="Save" onClose={onClose}>
      <Fields>
        <Select
          label="Buffer tool calls"
          description="A call is validated and repaired while it is buffered"
          data={[
            { value: 'default', label: 'default' },
            { value: 'bytes', label: 'up to a size' },
            { value: 'whole', label: 'until complete' },
          ]}
          value={values.hold}
          onChange={(hold) => form.setValues({ hold: hold ?? 'default' })}
          allowDeselect={false}
          data-autofocus
        />
        <NumberInput
          label="Size (bytes)"
          description="Size of a call's arguments up to which it is buffered"
          value={values.holdBytes}
          onChange={(holdBytes) => form.setValues({ holdBytes })}
          error={form.errors.holdBytes}
          disabled={values.hold !== 'bytes'}
          min={0}
          thousandSeparator=" "
        />
      </Fields>
      <SettingFields values={values} errors={form.errors} onChange={form.setValues} />
      <Fields>{capabilityNames.map(capability)}</Fields>
      <TagsInput
        label="Aliases"
        description="Other names that clients can send for this model"
        value={[...values.aliases]}
        onChange={(aliases) => form.setValues({ aliases })}
        error={form.errors.aliases}
      />
      <RouteFields
        routes={values.routes}
        onChange={(routes) => form.setValues({ routes })}
        error={form.errors.routes}
        demo={model.demo}
      />
    </FormDialog>
  );
}

const changesOf = (before: Body, now: Body): Partial<Body> =>
  Object.fromEntries(
    Object.entries(now).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof Body])),
  );

interface Values extends SettingValues {
  hold: string;
  holdBytes: number | string;
  capabilities: Record<CapabilityName, string>;
  aliases: readonly string[];
  routes: readonly RouteValues[];
}

const valuesOf = (model: Model): Values => ({
  hold: model.holdBytes.source === 'default' ? 'default' : model.holdBytes.value === null ? 'whole' : 'bytes',
  holdBytes: model.holdBytes.value ?? 1024,
  ...settingValues(model),
  capabilities: byCapability((name) => declared(model.capabilities[name])),
  aliases: model.aliases,
  routes: model.routes.map(({ upstreamId, upstreamModel, weight }) => ({
    upstreamId,
    upstreamModel: upstreamModel === model.name ? '' : upstreamModel,
    weight,
  })),
});

const declared = (capability: Model['capabilities'][CapabilityName]): string =>
  capability?.source === 'declared' ? (capability.value ? 'yes' : 'no') : '';

const claim = (word: string): boolean | null => (word === '' ? null : word === 'yes');

type Body = ReturnType<typeof bodyOf>;

const bodyOf = (values: Values) => ({
  holdBytes: values.hold === 'default' ? ('default' as const) : values.hold === 'whole' ? null : values.holdBytes,
  ...settingsBody(values),
  capabilities: byCapability((name) => claim(values.capabilities[name])),
  aliases: values.aliases,
  routes: routesOf(values.routes),
});
