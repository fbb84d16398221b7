import { type SettingName, settingNamed, settingNames } from '@callsmith/contracts';
import type { AuditRow } from '@callsmith/data/audit-log';

type Values = Readonly<Record<string, unknown>>;

/** What a model's change changed, e.g. `strategy native to prompt, buffer tool calls`. */
export function changeText({ action, before, after }: Pick<AuditRow, 'action' | 'before' | 'after'>): string {
  const [was, is] = [valuesOf(before), valuesOf(after)];
  if (action === 'model.experiment') return `experiment: ${is.strategy} for ${is.share} % of new conversations`;
  const changed = [...new Set([...Object.keys(was), ...Object.keys(is)])].filter(
    (name) => JSON.stringify(was[name] ?? null) !== JSON.stringify(is[name] ?? null),
  );
  const descriptions = changed.map((name) =>
    name === 'strategy' || name === 'dialect'
      ? `${name} ${was[name] ?? 'default'} to ${is[name] ?? 'default'}`
      : isSetting(name)
        ? settingNamed(name).label.toLowerCase()
        : (others[name] ?? name),
  );
  return [...new Set(descriptions)].join(', ') || 'saved without a change';
}

const others: Readonly<Record<string, string>> = { holdBytes: 'buffer tool calls', holdsWhole: 'buffer tool calls' };

const valuesOf = (value: unknown): Values => (typeof value === 'object' && value !== null ? (value as Values) : {});

const isSetting = (name: string): name is SettingName => (settingNames as readonly string[]).includes(name);
