import { type ConfigSection, configFile, settingNamed, settingNames } from '@callsmith/contracts';

/** The defaults of an entry's fields: what the contract fills in if an entry has only required fields. */
export function defaultsOf(section: ConfigSection, entry: Readonly<Record<string, unknown>>): Record<string, unknown> {
  if (section === 'models')
    return {
      aliases: [],
      strategy: 'auto',
      holdBytes: 'default',
      ...Object.fromEntries(settingNames.map((name) => [name, settingNamed(name).default ?? null])),
    };
  const least = leastEntries[section];
  if (least === undefined) return {};
  const read = configFile.parse({ version: 1, [section]: [least] })[section][0] as Record<string, unknown>;
  return Object.fromEntries(Object.entries(read).filter(([name]) => name in entry && !(name in least)));
}

/** Entries with required fields only; other sections have few fields with a default. */
const leastEntries: { readonly [Name in ConfigSection]?: Readonly<Record<string, unknown>> } = {
  teams: { name: 'x' },
  upstreams: { name: 'x', baseUrl: 'http://x' },
  mcpServers: { name: 'x', url: 'http://x' },
  keys: { owner: 'x', secret: 'x'.repeat(20) },
};
