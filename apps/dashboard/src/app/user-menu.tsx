import type { Me } from '@callsmith/contracts';
import { Box, Group, Menu, SegmentedControl, Text, UnstyledButton, useMantineColorScheme } from '@mantine/core';
import { IconDeviceDesktop, IconLock, IconLogout, IconMoon, IconSelector, IconSun } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from 'react-router';
import { client } from '../lib/api.ts';
import { toastError } from '../ui/toast.tsx';

const schemes = [
  { value: 'light', label: 'Light', icon: IconSun },
  { value: 'auto', label: 'As the system', icon: IconDeviceDesktop },
  { value: 'dark', label: 'Dark', icon: IconMoon },
] as const;

/** Who is signed in, light or dark, and the way out. */
export function UserMenu({ me }: { me: Me }) {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const signOut = async () => {
    try {
      await client.session.signOut();
      await navigate('/sign-in');
      queryClient.clear();
    } catch (error) {
      toastError(error);
    }
  };
  return (
    <Box>
      <ColorScheme />
      <Menu position="top-start" width={220}>
        <Menu.Target>
          <UnstyledButton w="100%" p={8} mt={6} aria-label="Account">
            <Group wrap="nowrap" gap={8} justify="space-between">
              <Box miw={0}>
                <Text fz="sm" fw={550} truncate>
                  {me.user.name ?? me.user.email}
                </Text>
                <Text fz="xs" c="dimmed">
                  {me.user.role} · {me.installation.version}
                </Text>
              </Box>
              <IconSelector size={15} aria-hidden="true" />
            </Group>
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>{me.user.email}</Menu.Label>
          <Menu.Item component={Link} to="/account" leftSection={<IconLock size={15} />}>
            Change password
          </Menu.Item>
          <Menu.Item leftSection={<IconLogout size={15} />} onClick={() => void signOut()}>
            Sign out
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </Box>
  );
}

/** Light, dark, or as the system has it; remembered. */
function ColorScheme() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <SegmentedControl
      fullWidth
      size="xs"
      value={colorScheme}
      onChange={(value) => setColorScheme(value as typeof colorScheme)}
      aria-label="Colours"
      data={schemes.map(({ value, label, icon: Icon }) => ({
        value,
        label: (
          <Group justify="center" py={2}>
            <Icon size={15} role="img" aria-label={label} />
          </Group>
        ),
      }))}
    />
  );
}
