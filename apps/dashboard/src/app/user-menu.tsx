import type { Me } from '@callsmith/contracts';
import { ActionIcon, Box, Group, SegmentedControl, Text, useMantineColorScheme } from '@mantine/core';
import { IconDeviceDesktop, IconHelp, IconLogout, IconMoon, IconSun } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { client } from '../lib/api.ts';
import { forgetRecent } from '../lib/recent.ts';
import { useShortcuts } from '../lib/shortcuts.ts';
import { toastError } from '../ui/toast.ts';
import css from './shell.module.css';

const Help = lazy(async () => ({ default: (await import('./help.tsx')).Help }));

const schemes = [
  { value: 'light', label: 'Light', icon: IconSun },
  { value: 'auto', label: 'System', icon: IconDeviceDesktop },
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
      forgetRecent();
      sessionStorage.clear();
    } catch (error) {
      toastError(error);
    }
  };
  return (
    <Box>
      <ColorScheme />
      <Group gap={4} mt={6} wrap="nowrap" justify="space-between">
        <Box component={Link} to="/account" className={`${css.place} ${css.account}`} title={me.user.email}>
          <Text component="span" fz="sm" fw={550} c="var(--mantine-color-text)" truncate>
            {me.user.name ?? me.user.email}
          </Text>
          <Text component="span" fz="xs">
            {me.user.role} · {me.installation.version}
          </Text>
        </Box>
        <HelpButton />
        <ActionIcon
          variant="subtle"
          color="gray"
          size="md"
          onClick={() => void signOut()}
          aria-label="Sign out"
          title="Sign out"
        >
          <IconLogout size={17} stroke={1.7} aria-hidden="true" />
        </ActionIcon>
      </Group>
    </Box>
  );
}

/** Opens the help, as `?` does. */
function HelpButton() {
  const [open, setOpen] = useState(false);
  useShortcuts({ 'shift+?': () => setOpen(true) });
  return (
    <>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="md"
        onClick={() => setOpen(true)}
        aria-label="Help"
        title="Help (?)"
      >
        <IconHelp size={17} stroke={1.7} aria-hidden="true" />
      </ActionIcon>
      {open && (
        <Suspense>
          <Help onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
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
      aria-label="Color scheme"
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
