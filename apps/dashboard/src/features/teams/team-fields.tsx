import { Switch, TextInput } from '@mantine/core';
import type { ApiForm } from '../../lib/use-api-form.ts';

interface TeamValues {
  readonly name: string;
  readonly storesBodies: boolean;
}

/** What the fields say when the server would refuse them. */
export const teamMessages = { name: 'Enter a name of up to 100 characters.' };

/** The fields of a team, new or not. */
export const TeamFields = ({ form }: { form: Pick<ApiForm<TeamValues>, 'getInputProps'> }) => (
  <>
    <TextInput label="Name" {...form.getInputProps('name')} data-autofocus />
    <Switch
      label="Store request and response bodies"
      description="Needed to inspect failures; turn off for teams whose messages must not be stored"
      {...form.getInputProps('storesBodies', { type: 'checkbox' })}
    />
  </>
);
