/** Sampling and retention of the record. */
export interface InstallationSettings {
  /** Share of turns without a failure whose bodies are stored, 0 to 1. */
  readonly cleanShare: number;
  /** Maximum of those per minute. */
  readonly cleanPerMinute: number;
  /** Maximum failed turns per minute whose bodies are stored. */
  readonly failuresPerMinute: number;
  /** How long bodies are kept. */
  readonly bodyDays: number;
  /** How long turns, calls and their hourly sums are kept. */
  readonly turnDays: number;
}

export const DEFAULT_SETTINGS: InstallationSettings = {
  cleanShare: 0.2,
  cleanPerMinute: 120,
  failuresPerMinute: 120,
  bodyDays: 7,
  turnDays: 90,
};

/** Name of the row that contains them. */
export const SETTINGS_NAME = 'installation';

/** Parses the stored settings; a missing or invalid number becomes the default. */
export function settingsOf(stored: unknown): InstallationSettings {
  const saved = (typeof stored === 'object' && stored !== null ? stored : {}) as Record<string, unknown>;
  const number = (name: keyof InstallationSettings): number => {
    const value = saved[name];
    return typeof value === 'number' && Number.isFinite(value) ? value : DEFAULT_SETTINGS[name];
  };
  return {
    cleanShare: number('cleanShare'),
    cleanPerMinute: number('cleanPerMinute'),
    failuresPerMinute: number('failuresPerMinute'),
    bodyDays: number('bodyDays'),
    turnDays: number('turnDays'),
  };
}
