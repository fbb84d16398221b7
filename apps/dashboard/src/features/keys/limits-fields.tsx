import { MultiSelect, NumberInput, Select, Stack } from '@mantine/core';
import { DateInput } from '@mantine/dates';
import { useQuery } from '@tanstack/react-query';
import { useMe } from '../../lib/session.ts';
import type { ApiForm } from '../../lib/use-api-form.ts';
import { Fields } from '../../ui/fields.tsx';
import { Folded } from '../../ui/folded.tsx';
import '../../ui/dates.css';
import { type LimitValues, noLimits } from './limits.ts';
import { modelNamesQuery } from './queries.ts';

type LimitsForm = Pick<ApiForm<LimitValues>, 'errors' | 'getInputProps' | 'values'>;
type Amount = 'requestsPerMinute' | 'tokensPerMinute' | 'concurrentStreams' | 'tokenBudget';

/** What a key's limits are made of, by the labels of their fields. */
export const limitParts = [
  { part: 'models', label: 'Models' },
  { part: 'requestsPerMinute', label: 'Requests per minute' },
  { part: 'tokensPerMinute', label: 'Tokens per minute' },
  { part: 'concurrentStreams', label: 'Concurrent requests' },
  { part: 'expires', label: 'Expires' },
  { part: 'budget', label: 'Budget' },
] as const;
export type LimitPart = (typeof limitParts)[number]['part'];

/** The fields of a key's limits, of all or some of them; every one may stay empty. */
export function LimitsFields({ form, only }: { form: LimitsForm; only?: readonly LimitPart[] }) {
  const has = (part: LimitPart) => only === undefined || only.includes(part);
  return (
    <Stack>
      {has('models') && <AllowedModels form={form} />}
      <Fields>
        {has('requestsPerMinute') && <AmountField form={form} name="requestsPerMinute" label="Requests per minute" />}
        {has('tokensPerMinute') && <AmountField form={form} name="tokensPerMinute" label="Tokens per minute" />}
      </Fields>
      <Fields>
        {has('concurrentStreams') && <AmountField form={form} name="concurrentStreams" label="Concurrent requests" />}
        {has('expires') && (
          <DateInput
            label="Expires"
            placeholder="never"
            valueFormat="D MMM YYYY"
            clearable
            {...form.getInputProps('expiresOn')}
          />
        )}
      </Fields>
      {has('budget') && <BudgetFields form={form} />}
    </Stack>
  );
}

type BudgetForm = Pick<ApiForm<Pick<LimitValues, 'tokenBudget' | 'spendBudget' | 'budgetPeriod'>>, 'getInputProps'>;

/** The fields of a budget, in tokens or money. */
export function BudgetFields({ form }: { form: BudgetForm }) {
  const { currency } = useMe().installation;
  return (
    <Fields>
      <AmountField form={form} name="tokenBudget" label="Token budget" />
      <NumberInput
        label={`Budget (${currency})`}
        placeholder="no limit"
        {...form.getInputProps('spendBudget')}
        min={0.01}
        decimalScale={2}
        thousandSeparator=" "
      />
      <Select
        label="Budget period"
        data={[
          { value: 'day', label: 'day (UTC)' },
          { value: 'month', label: 'month (UTC)' },
        ]}
        {...form.getInputProps('budgetPeriod')}
        allowDeselect={false}
      />
    </Fields>
  );
}

function AllowedModels({ form }: { form: LimitsForm }) {
  const models = useQuery(modelNamesQuery);
  const { allowedModels } = form.values;
  return (
    <MultiSelect
      label="Models"
      placeholder={allowedModels.length > 0 ? '' : 'all models'}
      data={[...new Set([...(models.data?.items.map(({ name }) => name) ?? []), ...allowedModels])]}
      {...form.getInputProps('allowedModels')}
      searchable
      clearable
    />
  );
}

interface AmountProps {
  readonly form: { getInputProps(name: Amount): object };
  readonly name: Amount;
  readonly label: string;
}

const AmountField = ({ form, name, label }: AmountProps) => (
  <NumberInput
    label={label}
    placeholder="no limit"
    {...form.getInputProps(name)}
    min={1}
    allowDecimal={false}
    thousandSeparator=" "
  />
);

/** The same behind a button: most keys have none. */
export const FoldedLimits = ({ form, title }: { form: LimitsForm; title: string }) => (
  <Folded title={title} refused={Object.keys(noLimits).some((name) => form.errors[name] !== undefined)}>
    <LimitsFields form={form} />
  </Folded>
);
