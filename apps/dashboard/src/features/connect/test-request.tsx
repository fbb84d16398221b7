import { Button, Group, List, Select, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { sendTest, type TestStep } from './send-test.ts';

interface Given {
  readonly secret: string;
  readonly hint: string;
  readonly models: readonly { readonly name: string }[];
  readonly onSent: (requestId: string) => void;
}

/** Sends a test request with the key that was entered, and shows how far it came. */
export function TestRequest({ secret, hint, models, onSent }: Given) {
  const queryClient = useQueryClient();
  const [chosen, setChosen] = useState<string | null>(null);
  const [steps, setSteps] = useState<readonly TestStep[]>([]);
  const [running, setRunning] = useState(false);
  const model = chosen ?? models[0]?.name;
  const run = async () => {
    if (!model) return;
    setRunning(true);
    await sendTest({ secret: secret.trim(), hint, model }, setSteps, onSent);
    setRunning(false);
    void queryClient.invalidateQueries({ queryKey: ['connect'] });
  };
  return (
    <Stack gap="sm">
      <Text fz="sm">
        Sends the model a question and a tool, as a client does. It counts toward your limits like any request.
      </Text>
      <Group align="flex-end" gap="sm">
        <Select
          label="Model to test"
          data={models.map(({ name }) => name)}
          value={model ?? null}
          onChange={setChosen}
          allowDeselect={false}
          searchable
        />
        <Button onClick={() => void run()} loading={running} disabled={!model || secret.trim() === ''}>
          Send a test request
        </Button>
      </Group>
      {secret.trim() === '' && (
        <Text fz="xs" c="dimmed">
          Enter your API key above first.
        </Text>
      )}
      <div role="status">
        {steps.length > 0 && (
          <List type="ordered" spacing={4} aria-label="Steps of the test">
            {steps.map(({ name, ok, found }) => (
              <List.Item key={name}>
                <b>{name}</b>: {ok === undefined ? 'running…' : ok ? 'yes' : 'no'}
                {found && (
                  <Text fz="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                    {found}
                  </Text>
                )}
              </List.Item>
            ))}
          </List>
        )}
      </div>
    </Stack>
  );
}
