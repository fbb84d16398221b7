import { ApiError, type Me } from '@callsmith/contracts';
import { AppShell, Box, Burger, Center, Group, Loader, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, Navigate, NavLink, Outlet, ScrollRestoration, useLocation, useNavigation } from 'react-router';
import { linkTo } from '../lib/address.ts';
import { periodOf, periodQuery } from '../lib/period.ts';
import { hasRole, sessionQuery } from '../lib/session.ts';
import { Wordmark } from '../ui/brand.tsx';
import { Problem } from '../ui/states.tsx';
import { linkOfPage, nav } from './nav.ts';
import { prefetch } from './pages.ts';
import { PaletteButton } from './palette-button.tsx';
import { Problems } from './problems.tsx';
import css from './shell.module.css';
import { useLightPrint } from './use-light-print.ts';
import { UserMenu } from './user-menu.tsx';

/** The frame of every page of a signed-in user; others are sent to the sign-in page. */
export function Shell() {
  const { pathname, search } = useLocation();
  const session = useQuery(sessionQuery);
  if (session.error instanceof ApiError && session.error.status === 401)
    return <Navigate to={linkTo('/sign-in', { next: pathname + search === '/' ? null : pathname + search })} replace />;
  if (session.data) return <Frame me={session.data} />;
  return (
    <Center h="100dvh" p="md">
      <title>Callsmith</title>
      {session.error ? (
        <Problem error={session.error} onRetry={() => void session.refetch()} />
      ) : (
        <Loader color="gray" type="dots" aria-label="Loading" />
      )}
    </Center>
  );
}

function Frame({ me }: { me: Me }) {
  const { pathname, search } = useLocation();
  const menu = useMenu(pathname);
  const period = useKeptPeriod(search);
  useLightPrint();
  const loading = useNavigation().state === 'loading';
  return (
    <AppShell
      navbar={{ width: 212, breakpoint: 'sm', collapsed: { mobile: !menu.open } }}
      header={{ height: { base: 52, sm: 0 } }}
      padding={{ base: 'md', sm: 'lg', lg: 28 }}
    >
      <a className={css.skip} href="#main">
        Skip to content
      </a>
      <AppShell.Header hiddenFrom="sm" className={css.header}>
        <Group h="100%" px="md" justify="space-between">
          <Wordmark />
          <Burger
            opened={menu.open}
            onClick={menu.toggle}
            size="sm"
            aria-label={menu.open ? 'Close menu' : 'Open menu'}
          />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" className={css.navbar}>
        <Box component={Link} to="/" visibleFrom="sm" px={8} pt={8} pb={20} c="var(--mantine-color-text)" td="none">
          <Wordmark />
        </Box>
        <PaletteButton />
        <Stack component="ul" gap={2} style={{ flex: 1, listStyle: 'none', margin: 0, padding: 0, overflow: 'auto' }}>
          {nav
            .filter((place) => hasRole(me, place.needs))
            .map(({ to: where, label, icon: Icon, period: goesAlong }) => (
              <li key={where}>
                <NavLink
                  to={linkOfPage(me, where, goesAlong ? period : {})}
                  end={where === '/'}
                  className={css.place ?? ''}
                  onPointerEnter={() => prefetch(where)}
                  onFocus={() => prefetch(where)}
                >
                  <Icon size={17} stroke={1.7} aria-hidden="true" />
                  {label}
                </NavLink>
              </li>
            ))}
        </Stack>
        <UserMenu me={me} />
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1} aria-busy={loading}>
        <div className={css.main}>
          <Problems />
          <Outlet />
        </div>
      </AppShell.Main>
      <ScrollRestoration />
    </AppShell>
  );
}

/** The menu of small screens; going elsewhere closes it. */
function useMenu(pathname: string) {
  const [openOn, setOpenOn] = useState<string | null>(null);
  const open = openOn === pathname;
  if (openOn !== null && !open) setOpenOn(null);
  return { open, toggle: () => setOpenOn(open ? null : pathname) };
}

/** The time range in the URL, or the last one that was: as a query for other pages. */
function useKeptPeriod(search: string): Record<string, string> {
  const [kept, setKept] = useState<Record<string, string>>({});
  const params = new URLSearchParams(search);
  const currentPeriod = ['range', 'from'].some((name) => params.has(name)) ? periodQuery(periodOf(params)) : kept;
  if (JSON.stringify(currentPeriod) !== JSON.stringify(kept)) setKept(currentPeriod);
  return currentPeriod;
}
