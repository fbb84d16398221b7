import { useHotkeys, useLocalStorage } from '@mantine/hooks';

/** Whether single-key shortcuts are on; users of speech input, or who press keys by accident, turn them off. */
export const useShortcutsEnabled = () => useLocalStorage({ key: 'callsmith-single-keys', defaultValue: true });

/** Runs the function of a key, e.g. `j`, unless a text field has the focus, a dialog is open or single keys are off. */
export function useShortcuts(keys: Readonly<Record<string, () => void>>): void {
  const [on] = useShortcutsEnabled();
  const unlessDialog = (run: () => void) => () => document.querySelector('[role="dialog"]') === null && run();
  useHotkeys(on ? Object.entries(keys).map(([key, run]) => [key, unlessDialog(run)]) : []);
}
