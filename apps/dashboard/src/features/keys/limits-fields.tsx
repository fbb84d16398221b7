import { MultiSelect, NumberInput, Select, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Form } from '../../lib/form.ts';
import { Fields } from '../../ui/fields.tsx';
import { Folded } from '../../ui/folded.tsx';
import type { LimitValues } from './limits.ts';
import { modelNamesQuery } from './queries.ts';

/** The fields of a key's limits; every one may stay empty. */
export function LimitsFields({ form }: { form: Form<LimitValues & { holder?: string }> }) {
  const models = useQuery(modelNamesQuery);
  const { values, errors } = form;
  const number = (
    name: 'requestsPerMinute' | 'tokensPerMinute' | 'concurrentStreams' | 'tokenBudget',
    label: string,
  ) => (
    <NumberInput
      label={label}
      placeholder="no limit"
      value={values[name]}
      onChange={(value) => form.set({ [name]: value })}
      error={errors[name]}
      min={1}
      allowDecimal={false}
      thousandSeparator=" "
    />
  );
  return (
    <Stack>
      <MultiSelect
        label="Models"
        placeholder={values.allowedModels.length > 0 ? '' : 'all models'}
        data={[...new Set([...(models.data?.items.map(({ name }) => name) ?? []), ...values.allowedModels])]}
        value={values.allowedModels}
        onChange={(allowedModels) => form.set({ allowedModels })}
        error={errors.allowedModels}
        searchable
        clearable
      />
      <Fields>
        {number('requestsPerMinute', 'Requests per minute')}
        {number('tokensPerMinute', 'Tokens per minute')}
      </Fields>
      <Fields>
        {number('concurrentStreams', 'Concurrent requests')}
        <TextInput
          type="date"
          label="Expires"
          value={values.expiresOn}
          onChange={(event) => form.set({ expiresOn: event.currentTarget.value })}
          error={errors.expiresAt}
        />
      </Fields>
      <Fields>
        {number('tokenBudget', 'Token budget')}
        <Select
          label="Budget period"
          data={[
            { value: 'day', label: 'day (UTC)' },
            { value: 'month', label: 'month (UTC)' },
          ]}
          value={values.budgetPeriod}
          onChange={(budgetPeriod) => form.set({ budgetPeriod: budgetPeriod === 'day' ? 'day' : 'month' })}
          allowDeselect={false}
          disabled={values.tokenBudget === ''}
        />
      </Fields>
    </Stack>
  );
}

/** The same behind a button: most keys have none. */
export const FoldedLimits = ({ form, title }: { form: Form<LimitValues & { holder?: string }>; title: string }) => (
  <Folded title={title}>
    <LimitsFields form={form} />
  </Folded>
);
