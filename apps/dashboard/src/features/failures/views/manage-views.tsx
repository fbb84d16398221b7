import type { SavedView, ViewScreen } from '@callsmith/contracts';
import { Anchor, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { type UseQueryResult, useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from 'react-router';
import { useAddress } from '../../../lib/address.ts';
import { client } from '../../../lib/api.ts';
import { sessionKey } from '../../../lib/session.ts';
import { LoadingRows, Problem } from '../../../ui/states.tsx';
import { toast } from '../../../ui/toast.ts';
import { viewsQuery } from './queries.ts';
import { pathOf, viewText } from './view-address.ts';

interface Given {
  readonly screen: ViewScreen;
  readonly views: Pick<UseQueryResult<{ items: SavedView[] }>, 'data' | 'error' | 'isPending'>;
  readonly onClose: () => void;
}

/** The saved views of a screen: which one the menu opens, and for who manages them, rename, replace and delete. */
export function ManageViews({ screen, views, onClose }: Given) {
  const queryClient = useQueryClient();
  const items = views.data?.items.filter((view) => view.screen === screen);
  const onSuccess = async () => {
    await queryClient.invalidateQueries({ queryKey: viewsQuery.queryKey });
    await queryClient.invalidateQueries({ queryKey: sessionKey });
  };
  const choose = useMutation({
    mutationFn: ({ id, isDefault }: SavedView) =>
      client.savedViews.change({ params: { id }, body: { isDefault: !isDefault } }),
    onSuccess,
  });
  const remove = useMutation({
    mutationFn: async ({ id, name, address, teamId }: SavedView) => {
      await client.savedViews.remove({ params: { id } });
      const restore = () =>
        void client.savedViews.create({ body: { screen, name, address, teamId } }).then(onSuccess, onSuccess);
      toast(`View ${name} deleted.`, [{ label: 'Undo', run: restore }]);
    },
    onSuccess,
  });
  const problem = choose.error ?? remove.error ?? views.error;
  return (
    <Modal opened onClose={onClose} title="Saved views" size="lg">
      <Stack>
        {problem && <Problem error={problem} />}
        {views.isPending && <LoadingRows rows={3} />}
        {items?.length === 0 && <Text fz="sm">No saved views on this screen.</Text>}
        {items?.map((view) => (
          <ViewRow
            key={view.id}
            view={view}
            onChoose={() => choose.mutate(view)}
            onRemove={() => remove.mutate(view)}
          />
        ))}
      </Stack>
    </Modal>
  );
}

function ViewRow({ view, onChoose, onRemove }: { view: SavedView; onChoose: () => void; onRemove: () => void }) {
  const address = useAddress();
  const button = { size: 'xs', variant: 'subtle', color: 'gray' } as const;
  return (
    <Group component="section" aria-label={view.name} justify="space-between" gap="xs">
      <div style={{ flex: '1 1 240px', minWidth: 0 }}>
        <Anchor component={Link} to={pathOf(view)} fz="sm" style={{ overflowWrap: 'anywhere' }}>
          {view.name}
        </Anchor>
        <Text fz="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {view.teamName === null ? 'Only you' : `Team ${view.teamName}`} · {viewText(view.address, view.screen)}
        </Text>
      </div>
      <Group gap={4}>
        <Button
          {...button}
          variant={view.isDefault ? 'light' : 'subtle'}
          aria-pressed={view.isDefault}
          onClick={onChoose}
        >
          {view.isDefault ? 'Default' : 'Set as default'}
        </Button>
        {view.mayChange && (
          <>
            <Button {...button} onClick={() => address.set({ views: view.id })}>
              Edit…
            </Button>
            <Button {...button} onClick={onRemove}>
              Delete
            </Button>
          </>
        )}
      </Group>
    </Group>
  );
}
