import { Button, Stack } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useAddress } from '../../lib/address.ts';
import { client } from '../../lib/api.ts';
import { plural } from '../../lib/format.ts';
import { hasRole, useMe } from '../../lib/session.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, LoadingRows, NoPermission, Problem } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.ts';
import { upstreamsQuery } from './queries.ts';
import { UpstreamCard } from './upstream-card.tsx';
import { UpstreamForm } from './upstream-form.tsx';

/** Up to this many upstreams show their last day immediately; each is a request of its own. */
const atOnce = 3;

/** The model servers behind Callsmith: where they are, how they are. */
export function UpstreamsPage() {
  const me = useMe();
  const address = useAddress();
  const queryClient = useQueryClient();
  const allowed = hasRole(me, 'admin');
  const upstreams = useQuery({ ...upstreamsQuery, enabled: allowed });
  if (!allowed)
    return (
      <Page title="Upstreams">
        <NoPermission />
      </Page>
    );
  const items = upstreams.data?.items;
  const named = (name: string) => items?.find((upstream) => upstream.id === address.get(name));
  const [edited, removed] = [named('edit'), named('remove')];
  const remove = async () => {
    if (!removed) return;
    await client.upstreams.remove({ params: { id: removed.id } });
    await queryClient.invalidateQueries();
    toast(`${removed.name} removed. Its history stays.`);
  };
  return (
    <Page
      title="Upstreams"
      subtitle={items && plural(items.length, 'model server')}
      actions={
        <Button leftSection={<IconPlus size={16} />} onClick={() => address.set({ add: 'yes' })}>
          Add upstream
        </Button>
      }
    >
      {upstreams.isError && !items && <Problem error={upstreams.error} onRetry={() => void upstreams.refetch()} />}
      {upstreams.isPending && <LoadingRows />}
      {items?.length === 0 && (
        <Empty
          title="No upstreams yet"
          action={<Button onClick={() => address.set({ add: 'yes' })}>Add the first upstream</Button>}
        >
          An upstream is a server that runs your models: vLLM, LM Studio, Ollama, llama.cpp, SGLang, or any server with
          an OpenAI-compatible API.
        </Empty>
      )}
      <Stack gap="md">
        {items?.map((upstream) => (
          <UpstreamCard
            key={upstream.id}
            upstream={upstream}
            health={items.length <= atOnce || address.get('health') === upstream.id}
          />
        ))}
      </Stack>
      {address.get('add') && <UpstreamForm onClose={() => address.set({ add: null })} />}
      {edited && <UpstreamForm key={edited.id} of={edited} onClose={() => address.set({ edit: null })} />}
      {removed && (
        <Confirm
          title={`Remove ${removed.name}?`}
          action="Remove"
          danger
          onConfirm={remove}
          onClose={() => address.set({ remove: null })}
        >
          Models that only this upstream serves become unavailable. Their recorded requests stay.
        </Confirm>
      )}
    </Page>
  );
}
