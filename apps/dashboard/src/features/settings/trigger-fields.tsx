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
      <Trigger form={form} name="failing" label="Tool-call failure rate" />
      {form.values.failing && (
        <Box pl="xl">
          <Fields>
            <Threshold form={form} name="failedShare" label="Threshold" min={1} max={100} suffix=" %" />
            <Threshold form={form} name="failedMinutes" label="Over the last" min={5} max={1440} suffix=" min" />
            <Threshold form={form} name="failedCalls" label="Minimum requests" min={1} max={1_000_000} />
          </Fields>
        </Box>
      )}
      <Trigger form={form} name="misshaping" label="Malformed calls" />
      {form.values.misshaping && (
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
            <Threshold
              form={form}
              name="malformedCalls"
              label="Of at least (requests with calls)"
              min={1}
              max={1_000_000}
            />
          </Fields>
        </Box>
      )}
      <Trigger form={form} name="burning" label="Failure budget of a model used up too fast" />
      <Trigger form={form} name="erring" label="Requests end in errors" />
      {form.values.erring && (
        <Box pl="xl">
          <Fields>
            <Threshold form={form} name="errorShare" label="Error share" min={1} max={100} suffix=" %" />
            <Threshold form={form} name="errorMinutes" label="Errors over the last" min={5} max={1440} suffix=" min" />
            <Threshold form={form} name="errorRequests" label="Of at least (requests)" min={1} max={1_000_000} />
          </Fields>
        </Box>
      )}
      <Trigger form={form} name="slow" label="First token late in 1 of 20 requests" />
      {form.values.slow && (
        <Box pl="xl">
          <Fields>
            <Threshold form={form} name="slowSeconds" label="Later than" min={0.1} max={3600} suffix=" s" />
            <Threshold form={form} name="slowMinutes" label="Late over the last" min={5} max={1440} suffix=" min" />
            <Threshold form={form} name="slowRequests" label="Among at least (requests)" min={1} max={1_000_000} />
          </Fields>
        </Box>
      )}
      <Trigger form={form} name="idle" label="No requests" />
      {form.values.idle && (
        <Group pl="xl">
          <Threshold form={form} name="idleMinutes" label="None for" min={5} max={1440} suffix=" min" />
        </Group>
      )}
      <Trigger form={form} name="down" label="Upstream unreachable" />
      {form.values.down && (
        <Group pl="xl">
          <Threshold form={form} name="downMinutes" label="For at least" min={1} max={1440} suffix=" min" />
        </Group>
      )}
      <Trigger form={form} name="spent" label="Budget nearly spent" />
      {form.values.spent && (
        <Group pl="xl">
          <Threshold form={form} name="spentShare" label="At" min={1} max={100} suffix=" %" />
        </Group>
      )}
      <Trigger form={form} name="spending" label="Spend over a limit" />
      {form.values.spending && (
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
      <Trigger form={form} name="lost" label="Requests could not be recorded" />
    </>
  );
};

const Trigger = ({
  form,
  name,
  label,
}: {
  form: TriggerForm;
  name: 'failing' | 'misshaping' | 'burning' | 'erring' | 'slow' | 'idle' | 'down' | 'spent' | 'spending' | 'lost';
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
