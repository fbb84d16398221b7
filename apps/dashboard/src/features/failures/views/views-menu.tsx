import type { SavedView, ViewScreen } from '@callsmith/contracts';
import { Button, Menu, Text } from '@mantine/core';
import { IconBookmark, IconCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { Link } from 'react-router';
import { useAddress } from '../../../lib/address.ts';
import { viewsQuery } from './queries.ts';
import { pathOf, shows } from './view-address.ts';

const ViewDialogs = lazy(async () => ({ default: (await import('./view-dialogs.tsx')).ViewDialogs }));

/** The saved views of a screen: opens one, saves what is shown as another, or leads to where they are managed. */
export function ViewsMenu({ screen }: { screen: ViewScreen }) {
  const address = useAddress();
  const [open, setOpen] = useState(false);
  // Asked for when somebody opens the menu.
  const views = useQuery({ ...viewsQuery, enabled: open });
  const screenViews = views.data?.items.filter((view) => view.screen === screen) ?? [];
  const own = screenViews.filter(({ teamId }) => teamId === null);
  const teams = screenViews.filter(({ teamId }) => teamId !== null);
  return (
    <>
      <Menu opened={open} onChange={setOpen} position="bottom-end" width={260}>
        <Menu.Target>
          <Button size="xs" variant="default" leftSection={<IconBookmark size={14} aria-hidden="true" />}>
            Views
          </Button>
        </Menu.Target>
        <Menu.Dropdown mah="60dvh" style={{ overflowY: 'auto' }}>
          {views.isPending && <Menu.Label>Loading…</Menu.Label>}
          {views.isError && <Menu.Label>Saved views could not be loaded.</Menu.Label>}
          {views.data && screenViews.length === 0 && <Menu.Label>No saved views yet</Menu.Label>}
          {own.length > 0 && <Menu.Label>Yours</Menu.Label>}
          {own.map((view) => (
            <ViewItem key={view.id} view={view} />
          ))}
          {teams.length > 0 && <Menu.Label>Your team’s</Menu.Label>}
          {teams.map((view) => (
            <ViewItem key={view.id} view={view} />
          ))}
          <Menu.Divider />
          <Menu.Item onClick={() => address.set({ views: 'save' })}>Save this view…</Menu.Item>
          {screenViews.length > 0 && (
            <Menu.Item onClick={() => address.set({ views: 'manage' })}>Manage views…</Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {address.get('views') && (
        <Suspense>
          <ViewDialogs screen={screen} />
        </Suspense>
      )}
    </>
  );
}

function ViewItem({ view }: { view: SavedView }) {
  const shown = shows(useAddress().params, view);
  return (
    <Menu.Item
      component={Link}
      to={pathOf(view)}
      aria-current={shown ? 'true' : undefined}
      rightSection={shown && <IconCheck size={14} aria-hidden="true" />}
    >
      <Text fz="sm" style={{ overflowWrap: 'anywhere' }}>
        {view.name}
      </Text>
      {view.isDefault && (
        <Text fz="xs" c="dimmed">
          Your default
        </Text>
      )}
    </Menu.Item>
  );
}
