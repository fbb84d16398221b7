import { Button, Collapse, Group, MultiSelect, NumberInput, Select, Stack, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import type { Form } from '../../lib/form.ts';
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
    <Stack gap="sm">
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
      <Group grow align="flex-start">
        {number('requestsPerMinute', 'Requests a minute')}
        {number('tokensPerMinute', 'Tokens a minute')}
      </Group>
      <Group grow align="flex-start">
        {number('concurrentStreams', 'Streams at a time')}
        <TextInput
          type="date"
          label="Works until"
          value={values.expiresOn}
          onChange={(event) => form.set({ expiresOn: event.currentTarget.value })}
          error={errors.expiresAt}
        />
      </Group>
      <Group grow align="flex-start">
        {number('tokenBudget', 'Token budget')}
        <Select
          label="Budget for"
          data={[
            { value: 'day', label: 'each day (UTC)' },
            { value: 'month', label: 'each month (UTC)' },
          ]}
          value={values.budgetPeriod}
          onChange={(budgetPeriod) => form.set({ budgetPeriod: budgetPeriod === 'day' ? 'day' : 'month' })}
          allowDeselect={false}
          disabled={values.tokenBudget === ''}
        />
      </Group>
    </Stack>
  );
}

/** The same behind a button: most keys have none. */
export function FoldedLimits({ form, title }: { form: Form<LimitValues & { holder?: string }>; title: string }) {
  const [open, { toggle }] = useDisclosure(false);
  return (
    <>
      <Button variant="subtle" size="xs" onClick={toggle} aria-expanded={open} style={{ alignSelf: 'flex-start' }}>
        {open ? 'Without limits' : title}
      </Button>
      <Collapse expanded={open}>
        <LimitsFields form={form} />
      </Collapse>
    </>
  );
}
