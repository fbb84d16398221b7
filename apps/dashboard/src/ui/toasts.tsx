import { ApiError } from '@callsmith/contracts';
import { Anchor, Group } from '@mantine/core';
import { Notifications, notifications } from '@mantine/notifications';
import type { ReactNode } from 'react';
import type { ToastAction } from './toast-action.ts';

/** Where toasts are drawn. */
export const Toasts = () => <Notifications position="bottom-right" limit={3} autoClose={6000} />;

/** Shows what was done; `actions` are offered beside it. */
export function showToast(message: ReactNode, actions: readonly ToastAction[]): void {
  const id = notifications.show({
    color: 'iris',
    withBorder: true,
    autoClose: actions.length > 0 ? 15_000 : 6_000,
    message: (
      <Group gap="sm">
        <span>{message}</span>
        {actions.map((action) => (
          <Anchor
            key={action.label}
            component="button"
            type="button"
            fw={600}
            fz="inherit"
            onClick={() => {
              notifications.hide(id);
              action.run();
            }}
          >
            {action.label}
          </Anchor>
        ))}
      </Group>
    ),
  });
}

/** Shows what went wrong, with the request ID. */
export function showError(error: unknown): void {
  const requestId = error instanceof ApiError && error.requestId ? ` (request ID ${error.requestId})` : '';
  const text = error instanceof ApiError ? error.message : 'The gateway is unreachable.';
  notifications.show({ color: 'red', withBorder: true, autoClose: 12_000, message: `${text}${requestId}` });
}
