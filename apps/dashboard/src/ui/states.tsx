import { ApiError } from '@callsmith/contracts';
import { Alert, Button, Center, Skeleton, Stack, Text, Title } from '@mantine/core';
import { IconAlertTriangle, IconLock } from '@tabler/icons-react';
import type { ReactNode } from 'react';

/** An empty page or list: what that means, and what to do next. */
export const Empty = ({
  title,
  children,
  action,
  icon,
}: {
  title: string;
  children?: ReactNode;
  action?: ReactNode;
  icon?: ReactNode;
}) => (
  <Center py={48} px="md">
    <Stack align="center" gap="xs" maw={460} ta="center">
      {icon}
      <Title order={2}>{title}</Title>
      {children && (
        <Text c="dimmed" component="div">
          {children}
        </Text>
      )}
      {action}
    </Stack>
  </Center>
);

/** Something went wrong: what, and the request id to name when asking for help. */
export function Problem({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  if (error instanceof ApiError && error.status === 403) return <NoPermission />;
  const requestId = error instanceof ApiError ? error.requestId : null;
  return (
    <Alert
      variant="default"
      icon={<IconAlertTriangle size={18} color="var(--failed)" />}
      title={titleOf(error)}
      role="alert"
      maw={760}
    >
      <Stack gap="xs" align="flex-start">
        <span>{messageOf(error)}</span>
        {requestId && (
          <Text component="span" fz="xs" c="var(--mantine-color-text)">
            Request ID <code>{requestId}</code>
          </Text>
        )}
        {onRetry && !isGone(error) && (
          <Button size="xs" variant="default" onClick={onRetry}>
            Try again
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

const isGone = (error: unknown) => error instanceof ApiError && error.status === 404;

function titleOf(error: unknown): string {
  if (!(error instanceof ApiError)) return 'The gateway cannot be reached';
  if (error.code === 'store_unavailable') return 'The database cannot be reached';
  if (isGone(error)) return 'Not found';
  return 'Something went wrong';
}

function messageOf(error: unknown): string {
  if (error instanceof ApiError && error.code === 'store_unavailable')
    return 'This page retries automatically. Requests from clients are served from memory for a while.';
  if (error instanceof ApiError) return error.message;
  return 'No response. Check that Callsmith is still running; this page retries automatically.';
}

/** The signed-in user's role does not allow this view. */
export const NoPermission = ({ needs = 'admin' }: { needs?: string }) => (
  <Empty title="Your role does not allow this" icon={<IconLock size={28} stroke={1.5} aria-hidden="true" />}>
    This page requires the role <b>{needs}</b>. An admin can change your role under Teams &amp; users.
  </Empty>
);

/** A placeholder for rows that are loading. */
export const LoadingRows = ({ rows = 6, height = 18 }: { rows?: number; height?: number }) => (
  <Stack gap={14} py="sm" aria-busy="true" aria-label="Loading" role="status">
    {Array.from({ length: rows }, (_, row) => (
      // The rows never change place.
      <Skeleton key={`row-${String(row)}`} height={height} width={`${100 - ((row * 13) % 31)}%`} />
    ))}
  </Stack>
);
