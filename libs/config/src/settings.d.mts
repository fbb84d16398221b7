/** One setting: an environment variable or a line in `.env`. */
export interface Setting {
  readonly name: string;
  readonly group: string;
  readonly doc: string;
  readonly example: string;
  readonly fallback?: string;
  readonly secret?: boolean;
  readonly mayBeEmpty?: boolean;
  /** What may be printed of a value, where that is not all of it. */
  readonly show?: (value: string) => string;
  /** It is read under its name in lower case as well, first. */
  readonly lowerCase?: boolean;
  readonly check: (value: string) => string | undefined;
}

/** A setting that somebody gave, as it may be shown. */
export interface GivenSetting {
  readonly name: string;
  readonly from: 'environment' | '.env';
  readonly shown: string;
}

/** Why a setting cannot be used. */
export interface SettingProblem {
  readonly name: string;
  readonly from: 'environment' | '.env' | 'missing';
  readonly value: string;
  readonly wrong: string;
}

/** A name that was a setting once and is ignored. */
export interface RetiredSetting {
  readonly name: string;
  readonly from: 'environment' | '.env';
  /** Why there is nothing to set any more. */
  readonly why: string;
}

/** The settings as text by name, with those that were given and all that is wrong. */
export interface CheckedSettings {
  readonly values: Readonly<Record<string, string>>;
  readonly given: readonly GivenSetting[];
  readonly problems: readonly SettingProblem[];
  readonly retired: readonly RetiredSetting[];
}

export const settings: readonly Setting[];
export function checkSettings(from: {
  env: Record<string, string | undefined>;
  file: Record<string, string | undefined>;
}): CheckedSettings;
export function problemTable(problems: readonly SettingProblem[]): string;
export function headersFrom(value: string): Record<string, string>;
export function headersFrom(value: string | undefined): Record<string, string> | undefined;
export function mask(value: string): string;
