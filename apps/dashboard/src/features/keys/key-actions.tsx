import type { Key } from '@callsmith/contracts';
import { ActionIcon, Menu } from '@mantine/core';
import { IconBan, IconDots, IconGauge, IconPlugConnected, IconRefresh } from '@tabler/icons-react';
import { useAddress } from '../../lib/address.ts';

/** What can be done to a key: each opens its dialog. */
export function KeyActions({ of: key }: { of: Key }) {
  const address = useAddress();
  if (key.revokedAt || key.kind === 'demo') return null;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for the key of ${key.holder}`}>
          <IconDots size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconPlugConnected size={15} />} onClick={() => address.set({ connect: key.id })}>
          Connect link…
        </Menu.Item>
        {key.managedBy === null && (
          <>
            <Menu.Item leftSection={<IconGauge size={15} />} onClick={() => address.set({ limits: key.id })}>
              Owner and limits…
            </Menu.Item>
            <Menu.Item leftSection={<IconRefresh size={15} />} onClick={() => address.set({ rotate: key.id })}>
              Rotate…
            </Menu.Item>
            <Menu.Item leftSection={<IconBan size={15} />} color="red" onClick={() => address.set({ revoke: key.id })}>
              Revoke…
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
