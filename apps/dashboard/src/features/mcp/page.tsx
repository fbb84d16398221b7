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
import { AccessForm } from './access-form.tsx';
import { ChangeReview } from './change-review.tsx';
import { mcpServersQuery } from './queries.ts';
import { ServerCard } from './server-card.tsx';
import { ServerForm } from './server-form.tsx';
import { TryTool } from './try-tool.tsx';

/** MCP servers: their tools, who may use them, and what has changed. */
export function McpPage() {
  const me = useMe();
  const address = useAddress();
  const queryClient = useQueryClient();
  const allowed = hasRole(me, 'admin');
  const servers = useQuery({ ...mcpServersQuery, enabled: allowed });
  if (!allowed)
    return (
      <Page title="MCP servers">
        <NoPermission />
      </Page>
    );
  const items = servers.data?.items;
  const named = (name: string) => items?.find((server) => server.id === address.get(name));
  const [edited, removed, granted, tried, reviewed] = ['edit', 'remove', 'access', 'try', 'review'].map(named);
  const toolOf = (server: typeof tried) => server?.tools.find(({ name }) => name === address.get('tool'));
  const [triedTool, reviewedTool] = [toolOf(tried), toolOf(reviewed)];
  const remove = async () => {
    if (!removed) return;
    await client.mcpServers.remove({ params: { id: removed.id } });
    await queryClient.invalidateQueries({ queryKey: mcpServersQuery.queryKey });
    toast(`${removed.name} removed.`);
  };
  const add = () => address.set({ add: 'yes' });
  return (
    <Page
      title="MCP servers"
      subtitle={items && plural(items.length, 'server')}
      actions={
        <Button leftSection={<IconPlus size={16} />} onClick={add}>
          Add server
        </Button>
      }
    >
      {servers.isError && !items && <Problem error={servers.error} onRetry={() => void servers.refetch()} />}
      {servers.isPending && <LoadingRows />}
      {items?.length === 0 && (
        <Empty title="No MCP servers yet" action={<Button onClick={add}>Add the first server</Button>}>
          An MCP server offers tools. Teams with access reach them at /v1/mcp/tools and /mcp/NAME, and models call them
          in agent mode.
        </Empty>
      )}
      <Stack gap="md">
        {items?.map((server) => (
          <ServerCard key={server.id} server={server} />
        ))}
      </Stack>
      {address.get('add') && <ServerForm onClose={() => address.set({ add: null })} />}
      {edited && <ServerForm key={edited.id} of={edited} onClose={() => address.set({ edit: null })} />}
      {granted && <AccessForm key={granted.id} server={granted} onClose={() => address.set({ access: null })} />}
      {tried && triedTool && (
        <TryTool server={tried} tool={triedTool} onClose={() => address.set({ try: null, tool: null })} />
      )}
      {reviewed && reviewedTool?.changedTo && (
        <ChangeReview server={reviewed} tool={reviewedTool} onClose={() => address.set({ review: null, tool: null })} />
      )}
      {removed && (
        <Confirm
          title={`Remove ${removed.name}?`}
          action="Remove"
          danger
          onConfirm={remove}
          onClose={() => address.set({ remove: null })}
        >
          Its tools are no longer offered, and teams lose access to them.
        </Confirm>
      )}
    </Page>
  );
}
