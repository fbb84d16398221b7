import { Alert, Select, SimpleGrid, Stack, Tabs, Text } from '@mantine/core';
import { useState } from 'react';
import { setupsFor, withV1 } from '../lib/clients.ts';
import { CopyField } from './copy-field.tsx';
import { LoopbackNote } from './loopback-note.tsx';

interface Given {
  readonly secret: string;
  readonly baseUrl: string;
  readonly models: readonly { readonly name: string; readonly contextLength: number | null }[];
  /** How long failed requests are stored, and who may read them. */
  readonly kept?: string;
}

/** A key, once, and the settings of each client. */
export function ClientSetup({ secret, baseUrl, models, kept }: Given) {
  const [name, setName] = useState(models[0]?.name ?? null);
  const model = models.find((one) => one.name === name);
  const setups = setupsFor({
    baseUrl: withV1(baseUrl),
    secret,
    model: model?.name ?? 'MODEL',
    contextLength: model?.contextLength ?? null,
  });
  return (
    <Stack gap="md">
      <CopyField label="API key" value={secret} />
      <LoopbackNote address={baseUrl} what="The base URL below" />
      {models.length > 0 ? (
        <Select
          label="Model"
          data={models.map((one) => one.name)}
          value={name}
          onChange={setName}
          allowDeselect={false}
          searchable
        />
      ) : (
        <Alert color="yellow" variant="light">
          No models are available yet. Replace MODEL with the name of a model.
        </Alert>
      )}
      <Tabs defaultValue="Cline" keepMounted={false} variant="outline">
        <Tabs.List aria-label="Client">
          {setups.map((setup) => (
            <Tabs.Tab key={setup.name} value={setup.name}>
              {setup.name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {setups.map((setup) => (
          <Tabs.Panel key={setup.name} value={setup.name} pt="md">
            <Stack gap="sm">
              <Text fz="sm">{setup.where}</Text>
              {setup.fields.length > 0 && (
                <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" verticalSpacing="sm">
                  {setup.fields.map((field) => (
                    <CopyField key={field.label} {...field} />
                  ))}
                </SimpleGrid>
              )}
              {setup.paste && <CopyField block label={setup.paste.label} value={setup.paste.text} />}
              {setup.note && (
                <Text fz="xs" c="dimmed">
                  {setup.note}
                </Text>
              )}
            </Stack>
          </Tabs.Panel>
        ))}
      </Tabs>
      {kept && (
        <Text fz="xs" c="dimmed">
          {kept}
        </Text>
      )}
    </Stack>
  );
}
