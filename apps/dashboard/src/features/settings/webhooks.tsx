import type { AlertDelivery, Webhook } from '@callsmith/contracts';
import { Button, Group, Stack, Switch, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useAddress } from '../../lib/address.ts';
import { client } from '../../lib/api.ts';
import { plural } from '../../lib/format.ts';
import { Card } from '../../ui/card.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { ManagedTag } from '../../ui/managed-tag.tsx';
import { LoadingRows, Problem } from '../../ui/states.tsx';
import { RelativeTime } from '../../ui/timestamp.tsx';
import { toast, toastError } from '../../ui/toast.ts';
import { webhooksQuery } from './queries.ts';
import { WebhookForm } from './webhook-form.tsx';

/** Where alerts are sent, what is open, and how the last delivery went. */
export function Webhooks() {
  const address = useAddress();
  const queryClient = useQueryClient();
  const webhooks = useQuery(webhooksQuery);
  const items = webhooks.data?.items;
  const named = (name: string) => items?.find(({ id }) => id === address.get(name));
  const [edited, removed] = [named('edit-webhook'), named('remove-webhook')];
  return (
    <Card
      title="Alerts"
      subtitle="Sends signed webhooks, Slack messages or e-mail when an alert starts and when it resolves."
      aside={
        <Button size="xs" onClick={() => address.set({ 'add-webhook': 'yes' })}>
          Add webhook
        </Button>
      }
    >
      {webhooks.isError && !items && <Problem error={webhooks.error} onRetry={() => void webhooks.refetch()} />}
      {webhooks.isPending && <LoadingRows rows={2} />}
      {items?.length === 0 && <Text c="dimmed">No webhooks yet.</Text>}
      <Stack gap="lg">
        {items?.map((webhook) => (
          <Entry key={webhook.id} webhook={webhook} />
        ))}
      </Stack>
      {address.get('add-webhook') && <WebhookForm onClose={() => address.set({ 'add-webhook': null })} />}
      {edited && <WebhookForm key={edited.id} of={edited} onClose={() => address.set({ 'edit-webhook': null })} />}
      {removed && (
        <Confirm
          title={`Remove ${removed.name}?`}
          action="Remove"
          danger
          onConfirm={async () => {
            await client.webhooks.remove({ params: { id: removed.id } });
            await queryClient.invalidateQueries({ queryKey: webhooksQuery.queryKey });
          }}
          onClose={() => address.set({ 'remove-webhook': null })}
        >
          No further alerts are sent to it. If you add it again, its receiver needs a new secret.
        </Confirm>
      )}
    </Card>
  );
}

function Entry({ webhook }: { webhook: Webhook }) {
  const { id, name, origin, enabled, open, lastDelivery, managedBy, quietHours, timeZone } = webhook;
  const narrowed = narrowedTo(webhook.scope);
  const address = useAddress();
  const queryClient = useQueryClient();
  const shown = () => queryClient.invalidateQueries({ queryKey: webhooksQuery.queryKey });
  const test = useMutation({
    mutationFn: () => client.webhooks.test({ params: { id } }),
    onSuccess: async (delivery) => {
      await shown();
      toast(`${name}: ${deliveryText(delivery)}`);
    },
    onError: toastError,
  });
  const change = useMutation({
    mutationFn: (on: boolean) => client.webhooks.change({ params: { id }, body: { enabled: on } }),
    onSuccess: shown,
    onError: toastError,
  });
  return (
    <section aria-label={name}>
      <Group justify="space-between" align="flex-start" gap="xs">
        <div>
          <Text fw={600}>{name}</Text>
          <Text fz="sm" c="dimmed">
            {origin}
          </Text>
        </div>
        <Group gap="xs">
          {managedBy === 'file' && <ManagedTag />}
          <Switch
            size="xs"
            label="Enabled"
            aria-label={`${name} enabled`}
            checked={enabled}
            disabled={managedBy !== null}
            onChange={(event) => change.mutate(event.currentTarget.checked)}
          />
          <Button size="xs" variant="default" loading={test.isPending} onClick={() => test.mutate()}>
            Test
          </Button>
          {managedBy === null && (
            <>
              <Button size="xs" variant="default" onClick={() => address.set({ 'edit-webhook': id })}>
                Edit…
              </Button>
              <Button size="xs" variant="default" onClick={() => address.set({ 'remove-webhook': id })}>
                Remove…
              </Button>
            </>
          )}
        </Group>
      </Group>
      {(quietHours || narrowed) && (
        <Text fz="sm" c="dimmed">
          {[narrowed, quietHours && `Quiet from ${quietHours.from} to ${quietHours.to} (${timeZone}).`]
            .filter(Boolean)
            .join(' ')}
        </Text>
      )}
      {open.map(({ trigger, about, since }) => (
        <Text key={`${trigger} ${about}`} fz="sm">
          {triggerNames[trigger]}: {about}, started <RelativeTime at={since} />
        </Text>
      ))}
      <Text fz="sm" c="dimmed">
        {lastDelivery ? (
          <>
            Last delivery <RelativeTime at={lastDelivery.triedAt ?? lastDelivery.at} />: {deliveryText(lastDelivery)}
          </>
        ) : (
          'Nothing sent yet.'
        )}
      </Text>
    </section>
  );
}

const triggerNames: Record<Webhook['open'][number]['trigger'], string> = {
  'failed-rate': 'Tool-call failure rate',
  'malformed-rate': 'Malformed calls',
  'failure-budget': 'Failure budget used up too fast',
  'error-rate': 'Request error rate',
  'slow-first-token': 'First token late',
  'no-requests': 'No requests',
  'upstream-down': 'Upstream unreachable',
  'record-lost': 'Requests not recorded',
  'budget-spent': 'Budget nearly spent',
  spend: 'Spend over its limit',
};

/** How alerts are narrowed, in one sentence; undefined: not at all. */
function narrowedTo({ models, teams, clients }: Webhook['scope']): string | undefined {
  const parts = [
    ...(models.length > 0 ? [plural(models.length, 'model')] : []),
    ...(teams.length > 0 ? [plural(teams.length, 'team')] : []),
    ...(clients.length > 0 ? [clients.join(', ')] : []),
  ];
  return parts.length > 0 ? `Only for ${parts.join(', ')}.` : undefined;
}

function deliveryText({ state, tries, problem, status, latencyMs }: AlertDelivery): string {
  if (state === 'delivered') return `delivered (${status}, ${latencyMs} ms)`;
  const problemText = problem ?? 'not sent yet';
  return state === 'waiting' ? `${problemText}; ${plural(tries, 'attempt')}, retrying` : `${problemText}; gave up`;
}
