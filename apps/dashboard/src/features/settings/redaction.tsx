import type { Pattern } from '@callsmith/contracts';
import { Button, Group, List, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useAddress } from '../../lib/address.ts';
import { client } from '../../lib/api.ts';
import { Card } from '../../ui/card.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { LoadingRows, Problem } from '../../ui/states.tsx';
import { PatternForm } from './pattern-form.tsx';
import { followsText } from './pattern-text.ts';
import { redactionQuery } from './queries.ts';

/** What is masked in everything that is stored: built-in patterns and those that admins add. */
export function Redaction() {
  const address = useAddress();
  const queryClient = useQueryClient();
  const redaction = useQuery(redactionQuery);
  const { builtIn = [], own = [], most = 0 } = redaction.data ?? {};
  const removed = own.find(({ id }) => id === address.get('remove-pattern'));
  return (
    <Card
      title="Redaction"
      subtitle="Anything that looks like a secret is masked in all recorded data: requests, responses, errors and tool names."
      aside={
        <Button size="xs" disabled={own.length >= most} onClick={() => address.set({ 'add-pattern': 'yes' })}>
          Add pattern
        </Button>
      }
    >
      {redaction.isError && !redaction.data && (
        <Problem error={redaction.error} onRetry={() => void redaction.refetch()} />
      )}
      {redaction.isPending && <LoadingRows rows={3} />}
      {redaction.data && (
        <Stack gap="md">
          {own.length === 0 && <Text c="dimmed">No custom patterns yet.</Text>}
          {own.map((pattern) => (
            <Entry key={pattern.id} pattern={pattern} />
          ))}
          <details>
            <summary>Built in: {builtIn.length} secret patterns</summary>
            <List fz="sm" c="dimmed" mt="xs">
              {builtIn.map((what) => (
                <List.Item key={what}>{what}</List.Item>
              ))}
            </List>
          </details>
        </Stack>
      )}
      {redaction.data && address.get('add-pattern') && (
        <PatternForm onClose={() => address.set({ 'add-pattern': null })} />
      )}
      {removed && (
        <Confirm
          title={`Remove ${removed.name}?`}
          action="Remove"
          danger
          onConfirm={async () => {
            await client.redaction.remove({ params: { id: removed.id } });
            await queryClient.invalidateQueries({ queryKey: redactionQuery.queryKey });
          }}
          onClose={() => address.set({ 'remove-pattern': null })}
        >
          Matching text is stored unmasked from then on. Text that is already masked stays masked.
        </Confirm>
      )}
    </Card>
  );
}

function Entry({ pattern }: { pattern: Pattern }) {
  const address = useAddress();
  return (
    <section aria-label={pattern.name}>
      <Group justify="space-between" align="flex-start" gap="xs">
        <div>
          <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
            {pattern.name}
          </Text>
          <Text fz="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            <span className="mono">{pattern.begins}</span>
            {followsText(pattern)}
          </Text>
        </div>
        <Button size="xs" variant="default" onClick={() => address.set({ 'remove-pattern': pattern.id })}>
          Remove…
        </Button>
      </Group>
    </section>
  );
}
