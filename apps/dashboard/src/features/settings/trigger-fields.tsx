import { Box, Checkbox, Group, NumberInput } from '@mantine/core';
import { Fragment } from 'react';
import { useMe } from '../../lib/session.ts';
import type { ApiForm } from '../../lib/use-api-form.ts';
import { Fields } from '../../ui/fields.tsx';
import { triggersIn } from './triggers.ts';
import type { WebhookValues } from './webhook-values.ts';

/** What a webhook is sent alerts about, each with its thresholds. */
export function TriggerFields({ form }: { form: Pick<ApiForm<WebhookValues>, 'getInputProps' | 'values'> }) {
  const { currency } = useMe().installation;
  return triggersIn(currency).map(({ name, label, thresholds }) => {
    const fields = thresholds.map(({ name: field, ...inputProps }) => (
      <NumberInput key={field} size="xs" {...inputProps} {...form.getInputProps(field)} clampBehavior="strict" />
    ));
    return (
      <Fragment key={name}>
        <Checkbox label={label} {...form.getInputProps(name, { type: 'checkbox' })} />
        {form.values[name] && fields.length === 1 && <Group pl="xl">{fields}</Group>}
        {form.values[name] && fields.length > 1 && (
          <Box pl="xl">
            <Fields>{fields}</Fields>
          </Box>
        )}
      </Fragment>
    );
  });
}
