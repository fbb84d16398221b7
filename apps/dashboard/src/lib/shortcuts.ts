import { useHotkeys, useLocalStorage } from '@mantine/hooks';

/** Whether single letters do something; whoever speaks to the machine, or strikes keys by chance, turns that off. */
export const useShortcutsEnabled = () => useLocalStorage({ key: 'callsmith-single-keys', defaultValue: true });

/** Runs what belongs to a key, e.g. `j`, unless somebody writes, a dialog is open or single keys are turned off. */
export function useShortcuts(keys: Readonly<Record<string, () => void>>): void {
  const [on] = useShortcutsEnabled();
  const unlessDialog = (run: () => void) => () => document.querySelector('[role="dialog"]') === null && run();
  useHotkeys(on ? Object.entries(keys).map(([key, run]) => [key, unlessDialog(run)]) : []);
}
