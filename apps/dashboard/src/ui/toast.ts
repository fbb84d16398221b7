import { type ReactNode, useSyncExternalStore } from 'react';
import type { ToastAction } from './toast-action.ts';

// What draws toasts is loaded with the first one: the first page does without.
let loading = false;
const listeners = new Set<() => void>();

function load() {
  loading = true;
  for (const listener of listeners) listener();
  return import('./toasts.tsx');
}

/** Says what was done; `actions` are offered beside it. */
export function toast(message: ReactNode, actions: readonly ToastAction[] = []): void {
  void load().then(({ showToast }) => showToast(message, actions));
}

/** Says what went wrong, with the request ID. */
export function toastError(error: unknown): void {
  void load().then(({ showError }) => showError(error));
}

/** Whether there has been a toast. */
export const useToasted = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => loading,
  );
