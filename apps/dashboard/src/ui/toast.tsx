import { ApiError } from '@callsmith/contracts';
import { Anchor, Group } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { ReactNode } from 'react';

interface Act {
  readonly say: string;
  readonly run: () => void;
}

/** Says what was done; `acts` are offered beside it, e.g. Undo. */
export function toast(message: ReactNode, acts: readonly Act[] = []): void {
  const id = notifications.show({
    color: 'iris',
    withBorder: true,
    autoClose: acts.length > 0 ? 15_000 : 6_000,
    message: (
      <Group gap="sm">
        <span>{message}</span>
        {acts.map((act) => (
          <Anchor
            key={act.say}
            component="button"
            type="button"
            fw={600}
            fz="inherit"
            onClick={() => {
              notifications.hide(id);
              act.run();
            }}
          >
            {act.say}
          </Anchor>
        ))}
      </Group>
    ),
  });
}

/** Says what went wrong, with the request id. */
export function toastError(error: unknown): void {
  const requestId = error instanceof ApiError && error.requestId ? ` (request ID ${error.requestId})` : '';
  const say = error instanceof ApiError ? error.message : 'The gateway cannot be reached.';
  notifications.show({ color: 'red', withBorder: true, autoClose: 12_000, message: `${say}${requestId}` });
}
