import { type Setup, setupsFor } from '../apps/dashboard/src/lib/clients.ts';

const introduction = `# Clients

How to connect each client to Callsmith. When a key is created or handed over, the dashboard shows the same with your address, your key and the model's context window filled in, and a button that copies each value.

The base URL is that of your gateway, here \`http://127.0.0.1:4000/v1\`; the key is one from the dashboard or from \`npm run callsmith -- key create\`; the name of a model is the one that \`GET /v1/models\` lists. The [README](../README.md) shows which clients were tested with which faults.
`;

/** \`docs/clients.md\`: the set-up of each client as the dashboard shows it, with values that stand for yours. */
export const clientsPage = (): string =>
  [
    introduction,
    ...setupsFor({
      baseUrl: 'http://127.0.0.1:4000/v1',
      secret: 'sk-your-key',
      model: 'your-model',
      contextLength: 131_072,
    }).map(section),
  ].join('\n');

function section({ name, where, fields, paste, note }: Setup): string {
  const rows = fields.map(({ label, value }) => `| ${label} | \`${value}\` |`);
  return [
    `## ${name}\n`,
    `${where}\n`,
    ...(rows.length === 0 ? [] : [`| field | value |\n|---|---|\n${rows.join('\n')}\n`]),
    ...(paste ? [`${paste.label}:\n\n\`\`\`${languageOf(paste.label)}\n${paste.text.trimEnd()}\n\`\`\`\n`] : []),
    ...(note === undefined ? [] : [`${note}\n`]),
  ].join('\n');
}

const languageOf = (label: string): string =>
  /json$/.test(label)
    ? 'json'
    : /yaml$/.test(label)
      ? 'yaml'
      : /toml$/.test(label)
        ? 'toml'
        : label === 'TypeScript'
          ? 'ts'
          : 'sh';
