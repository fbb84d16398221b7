import { Box, Checkbox, Group, NumberInput } from '@mantine/core';
import { useMe } from '../../lib/session.ts';
import type { ApiForm } from '../../lib/use-api-form.ts';
import { Fields } from '../../ui/fields.tsx';
import type { TriggerValues, WebhookValues } from './webhook-values.ts';

type TriggerForm = Pick<ApiForm<WebhookValues>, 'getInputProps' | 'values'>;

/** What a webhook is sent alerts about, each with its threshold. */
export const TriggerFields = ({ form }: { form: TriggerForm }) => {
  const { currency } = useMe().installation;
  return (
    <>
      <Trigger form={form} name="failedRate" label="Tool-call failure rate" />
      {form.values.failedRate && (
        <Box pl="xl">
          <Fields>
            <Threshold form={form} name="failedShare" label="Threshold" min={1} max={100} suffix=" %" />
            <Threshold form={form} name="failedMinutes" label="Over the last" min={5} max={1440} suffix=" min" />
            <Threshold form={form} name="failedCalls" label="Minimum requests" min={1} max={1_000_000} />
          </Fields>
        </Box>
      )}
      <Trigger form={form} name="malformedRate" label="Malformed calls" />
      {form.values.malformedRate && (
        <Box pl="xl">
          <Fields>
            <Threshold form={form} name="malformedShare" label="Malformed share" min={1} max={100} suffix=" %" />
            <Threshold
              form={form}
              name="malformedMinutes"
              label="Malformed over the last"
              min={5}
              max={1440}
              suffix=" min"
            />
            <Threshold form={form} name="malformedCalls" label="Minimum requests with calls" min={1} max={1_000_000} />
          </Fields>
        </Box>
      )}
      <Trigger form={form} name="failureBudget" label="Failure budget of a model used up too fast" />
      <Trigger form={form} name="errorRate" label="Request error rate" />
      {form.values.errorRate && (
        <Box pl="xl">
          <Fields>
            <Threshold form={form} name="errorShare" label="Error share" min={1} max={100} suffix=" %" />
            <Threshold form={form} name="errorMinutes" label="Errors over the last" min={5} max={1440} suffix=" min" />
            <Threshold form={form} name="errorRequests" label="Minimum requests (errors)" min={1} max={1_000_000} />
          </Fields>
        </Box>
      )}
      <Trigger form={form} name="slowFirstToken" label="First token late in 1 of 20 requests" />
      {form.values.slowFirstToken && (
        <Box pl="xl">
          <Fields>
            <Threshold form={form} name="slowSeconds" label="Later than" min={0.1} max={3600} suffix=" s" />
            <Threshold form={form} name="slowMinutes" label="Late over the last" min={5} max={1440} suffix=" min" />
            <Threshold form={form} name="slowRequests" label="Minimum requests (first token)" min={1} max={1_000_000} />
          </Fields>
        </Box>
      )}
      <Trigger form={form} name="noRequests" label="No requests" />
      {form.values.noRequests && (
        <Group pl="xl">
          <Threshold form={form} name="idleMinutes" label="None for" min={5} max={1440} suffix=" min" />
        </Group>
      )}
      <Trigger form={form} name="upstreamDown" label="Upstream unreachable" />
      {form.values.upstreamDown && (
        <Group pl="xl">
          <Threshold form={form} name="downMinutes" label="For at least" min={1} max={1440} suffix=" min" />
        </Group>
      )}
      <Trigger form={form} name="budgetSpent" label="Budget nearly spent" />
      {form.values.budgetSpent && (
        <Group pl="xl">
          <Threshold form={form} name="spentShare" label="At" min={1} max={100} suffix=" %" />
        </Group>
      )}
      <Trigger form={form} name="spend" label="Spend over a limit" />
      {form.values.spend && (
        <Box pl="xl">
          <Fields>
            <Threshold
              form={form}
              name="spendAmount"
              label={`More than (${currency})`}
              min={0.01}
              max={1_000_000_000}
            />
            <Threshold form={form} name="spendHours" label="In the last" min={1} max={744} suffix=" h" />
          </Fields>
        </Box>
      )}
      <Trigger form={form} name="recordLost" label="Requests could not be recorded" />
    </>
  );
};

const Trigger = ({
  form,
  name,
  label,
}: {
  form: TriggerForm;
  name:
    | 'failedRate'
    | 'malformedRate'
    | 'failureBudget'
    | 'errorRate'
    | 'slowFirstToken'
    | 'noRequests'
    | 'upstreamDown'
    | 'budgetSpent'
    | 'spend'
    | 'recordLost';
  label: string;
}) => <Checkbox label={label} {...form.getInputProps(name, { type: 'checkbox' })} />;

const Threshold = ({
  form,
  name,
  ...given
}: {
  form: TriggerForm;
  name: keyof TriggerValues;
  label: string;
  min: number;
  max: number;
  suffix?: string;
}) => <NumberInput size="xs" {...given} {...form.getInputProps(name)} clampBehavior="strict" />;
