import {
  type ModelSettingsChange,
  type ModelSettingValues,
  type SettingName,
  type Sourced,
  settingNamed,
  settingNames,
} from '@callsmith/contracts';
import type { Source } from '@callsmith/turn';
import type { Prisma } from '../generated/prisma/client.ts';

/** The settings columns of a model's row. */
export interface StoredModel {
  readonly contextLength: number | null;
  readonly contextSource: string;
  readonly toolCallLimit: number | null;
  readonly reasoningPrefilled: boolean | null;
  readonly strictHistory: boolean;
  readonly promptAddition: string | null;
  /** By name, each with its source. */
  readonly settings?: unknown;
}

/** What was learned from requests about a model. */
export interface LearnedValue {
  readonly what: string;
  readonly value: string;
}

interface Column {
  read(row: StoredModel): Sourced<unknown> | undefined;
  /** Null: no longer declared. */
  write(value: never): Prisma.ModelUncheckedUpdateInput;
}

const declared = <T>(value: T | null): Sourced<T> | undefined =>
  value === null ? undefined : { value, source: 'declared' };

// Settings older than the column `settings`: an earlier version that runs beside this one knows only these.
const columns: { readonly [Name in SettingName]?: Column } = {
  contextLength: {
    read: ({ contextLength: value, contextSource }) =>
      value === null ? undefined : { value, source: contextSource as Source },
    write: (contextLength: number | null) => ({
      contextLength,
      contextSource: contextLength === null ? 'default' : 'declared',
    }),
  },
  toolCallLimit: {
    read: ({ toolCallLimit }) => declared(toolCallLimit),
    write: (toolCallLimit: number | null) => ({ toolCallLimit }),
  },
  reasoningPrefilled: {
    read: ({ reasoningPrefilled }) => declared(reasoningPrefilled),
    write: (reasoningPrefilled: boolean | null) => ({ reasoningPrefilled }),
  },
  strictHistory: {
    read: ({ strictHistory }) => declared(strictHistory || null),
    write: (strictHistory: boolean | null) => ({ strictHistory: strictHistory ?? false }),
  },
  promptAddition: {
    read: ({ promptAddition }) => declared(promptAddition),
    write: (promptAddition: string | null) => ({ promptAddition }),
  },
};

/** The effective settings of a model, each with its source. */
export const settingsInEffect = (row: StoredModel, learned: readonly LearnedValue[]): ModelSettingValues =>
  Object.fromEntries(settingNames.map((name) => [name, inEffect(name, row, learned)])) as ModelSettingValues;

function inEffect(name: SettingName, row: StoredModel, learned: readonly LearnedValue[]): Sourced<unknown> | undefined {
  const { sources, default: fallback, learnedAs } = settingNamed(name);
  const stored = columns[name] ? columns[name].read(row) : readStored(name, row.settings);
  for (const source of sources) {
    const lesson = source === 'learned' ? learned.find(({ what }) => what === learnedAs) : undefined;
    if (lesson) return { value: lesson.value === 'true', source };
    if (stored?.source === source) return stored;
  }
  return fallback === undefined ? undefined : { value: fallback, source: 'default' };
}

/** A row's value of a setting; undefined if it is invalid, e.g. one of a later version. */
function readStored(name: SettingName, settings: unknown): Sourced<unknown> | undefined {
  const stored = settingsOf(settings)[name];
  const value = settingNamed(name).type.safeParse(stored?.value);
  return stored && value.success ? { value: value.data, source: stored.source } : undefined;
}

const settingsOf = (settings: unknown): Record<string, Sourced<unknown>> =>
  (settings ?? {}) as Record<string, Sourced<unknown>>;

/** The columns of a model's row after a change; settings that it does not name stay unchanged. */
export function declaredSettings(row: StoredModel, change: ModelSettingsChange): Prisma.ModelUncheckedUpdateInput {
  const settings = { ...settingsOf(row.settings) };
  let written: Prisma.ModelUncheckedUpdateInput = {};
  for (const name of settingNames) {
    const value = change[name];
    if (value === undefined) continue;
    if (columns[name]) written = { ...written, ...columns[name].write(value as never) };
    else if (value === null) delete settings[name];
    else settings[name] = { value, source: 'declared' };
  }
  const same = JSON.stringify(settings) === JSON.stringify(settingsOf(row.settings));
  return same ? written : { ...written, settings: settings as unknown as Prisma.InputJsonObject };
}
