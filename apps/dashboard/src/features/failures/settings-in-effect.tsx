import { settingNamed, settingNames } from '@callsmith/contracts';
import { formatBytes } from '../../lib/format.ts';
import { Card } from '../../ui/card.tsx';
import { SourceNote } from '../../ui/source-note.tsx';
import css from './settings-in-effect.module.css';

/** The settings that were in effect for a request, each with where it came from. */
export function SettingsInEffect({ settings }: { settings: unknown }) {
  if (typeof settings !== 'object' || settings === null) return null;
  return (
    <Card title="Settings in effect">
      <dl className={css.list}>
        {Object.entries(settings).map(([name, setting]) => {
          const { value, source } = sourced(setting);
          return (
            <div key={name}>
              <dt>{knownSetting(name)?.label ?? labels[name] ?? words(name)}</dt>
              <dd>
                {name === 'holdBytes' ? bufferText(value) : (choiceText(name, value) ?? valueText(value))}
                {source && <SourceNote source={source} />}
              </dd>
            </div>
          );
        })}
      </dl>
    </Card>
  );
}

function sourced(setting: unknown): { value: unknown; source: string | null } {
  if (typeof setting !== 'object' || setting === null || !('value' in setting)) return { value: setting, source: null };
  return {
    value: setting.value,
    source: 'source' in setting && typeof setting.source === 'string' ? setting.source : null,
  };
}

/** The entry of the contract's table, whose label the model's page has as well; settings beside it have none. */
function knownSetting(name: string): ReturnType<typeof settingNamed> | undefined {
  const settingName = settingNames.find((one) => one === name);
  return settingName && settingNamed(settingName);
}

function choiceText(name: string, value: unknown): string | undefined {
  const control = knownSetting(name)?.control;
  return control?.kind === 'choice' ? control.choices.find((choice) => choice.value === value)?.label : undefined;
}

function valueText(value: unknown): string {
  if (value === null || value === undefined) return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

const labels: Readonly<Record<string, string | undefined>> = {
  holdBytes: 'buffer tool calls',
  marksCalls: 'marks its calls',
};

const bufferText = (bytes: unknown): string =>
  typeof bytes === 'number' ? `up to ${formatBytes(bytes)} of arguments` : 'until complete';

// `strictHistory` reads as `strict history`.
const words = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
