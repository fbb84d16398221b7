import { api, type Model } from '@callsmith/contracts';
import { NumberInput, Select, Switch, TagsInput, Textarea } from '@mantine/core';
import { client } from '../../lib/api.ts';
import { useApiForm } from '../../lib/use-api-form.ts';
import { Fields } from '../../ui/fields.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { RouteFields, type RouteValues, routesOf } from './route-fields.tsx';

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
  const capability = (name: 'tools' | 'parallel' | 'strict', label: string) => (
    <Select
      label={label}
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
          description="Of the call's arguments"
          value={values.holdBytes}
          onChange={(holdBytes) => form.setValues({ holdBytes })}
          error={form.errors.holdBytes}
          disabled={values.hold !== 'bytes'}
          min={0}
          thousandSeparator=" "
        />
      </Fields>
      <Fields>
        <NumberInput
          label="Context (tokens)"
          description="If empty: detected"
          value={values.contextLength}
          onChange={(contextLength) => form.setValues({ contextLength })}
          error={form.errors.contextLength}
          min={1}
          thousandSeparator=" "
        />
        <NumberInput
          label="Max tool calls per conversation"
          description="If empty: no limit"
          value={values.toolCallLimit}
          onChange={(toolCallLimit) => form.setValues({ toolCallLimit })}
          error={form.errors.toolCallLimit}
          min={1}
        />
      </Fields>
      <Select
        label="Reasoning"
        description="Whether the prompt template opens the reasoning block"
        data={[
          { value: 'unknown', label: 'auto-detect' },
          { value: 'yes', label: 'opening tag is prefilled' },
          { value: 'no', label: 'model opens it itself' },
        ]}
        value={values.reasoningPrefilled}
        onChange={(reasoningPrefilled) => form.setValues({ reasoningPrefilled: reasoningPrefilled ?? 'unknown' })}
        allowDeselect={false}
      />
      <Fields>
        {capability('tools', 'Native tools')}
        {capability('parallel', 'Parallel calls')}
        {capability('strict', 'Strict schemas')}
      </Fields>
      <Switch
        label="Strict history"
        description="Reject a history that is out of order instead of fixing it"
        checked={values.strictHistory}
        onChange={(event) => form.setValues({ strictHistory: event.currentTarget.checked })}
      />
      <Textarea
        label="Prompt addition"
        description="Appended to the tool prompt of the strategy prompt"
        value={values.promptAddition}
        onChange={(event) => form.setValues({ promptAddition: event.currentTarget.value })}
        error={form.errors.promptAddition}
        autosize
        minRows={2}
        maxRows={10}
      />
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

interface Values {
  hold: string;
  holdBytes: number | string;
  contextLength: number | string;
  toolCallLimit: number | string;
  reasoningPrefilled: string;
  strictHistory: boolean;
  capabilities: Record<'tools' | 'parallel' | 'strict', string>;
  promptAddition: string;
  aliases: readonly string[];
  routes: readonly RouteValues[];
}

const valuesOf = (model: Model): Values => ({
  hold: model.holdBytes.source === 'default' ? 'default' : model.holdBytes.value === null ? 'whole' : 'bytes',
  holdBytes: model.holdBytes.value ?? 1024,
  contextLength: model.contextLength?.source === 'declared' ? model.contextLength.value : '',
  toolCallLimit: model.toolCallLimit ?? '',
  reasoningPrefilled: model.reasoningPrefilled ? (model.reasoningPrefilled.value ? 'yes' : 'no') : 'unknown',
  strictHistory: model.strictHistory.value,
  capabilities: {
    tools: declared(model.capabilities.tools),
    parallel: declared(model.capabilities.parallel),
    strict: declared(model.capabilities.strict),
  },
  promptAddition: model.promptAddition ?? '',
  aliases: model.aliases,
  routes: model.routes.map(({ upstreamId, upstreamModel, weight }) => ({
    upstreamId,
    upstreamModel: upstreamModel === model.name ? '' : upstreamModel,
    weight,
  })),
});

const declared = (known: Model['capabilities']['tools']): string =>
  known?.source === 'declared' ? (known.value ? 'yes' : 'no') : '';

const claim = (word: string): boolean | null => (word === '' ? null : word === 'yes');

const orNull = (value: number | string) => (value === '' ? null : value);

type Body = ReturnType<typeof bodyOf>;

const bodyOf = (values: Values) => ({
  holdBytes: values.hold === 'default' ? ('default' as const) : values.hold === 'whole' ? null : values.holdBytes,
  contextLength: orNull(values.contextLength),
  toolCallLimit: orNull(values.toolCallLimit),
  reasoningPrefilled: values.reasoningPrefilled === 'unknown' ? null : values.reasoningPrefilled === 'yes',
  strictHistory: values.strictHistory,
  capabilities: {
    tools: claim(values.capabilities.tools),
    parallel: claim(values.capabilities.parallel),
    strict: claim(values.capabilities.strict),
  },
  promptAddition: values.promptAddition === '' ? null : values.promptAddition,
  aliases: values.aliases,
  routes: routesOf(values.routes),
});
