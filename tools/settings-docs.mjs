// Writes `.env.example` and the README's table of settings from the table in libs/config; with --check only compares.
import { readFileSync, writeFileSync } from 'node:fs';
import { settings } from '../libs/config/src/settings.mjs';

const root = new URL('../', import.meta.url);
const groups = [...new Set(settings.map(({ group }) => group))];

function envExample() {
  const head =
    '# Settings of Callsmith. Copy to .env and take out the # before what you change; the environment wins over the file.';
  const entry = ({ name, doc, example }) => `# ${doc.replaceAll('`', '')}\n#${name}=${example}`;
  const section = (group) =>
    [`## ${group}`, ...settings.filter((setting) => setting.group === group).map(entry)].join('\n\n');
  return `${[head, ...groups.map(section)].join('\n\n')}\n`;
}

function readmeTable() {
  const row = ({ name, doc, fallback }) =>
    `| \`${name}\` | ${doc} | ${fallback === undefined ? '' : `\`${fallback}\``} |`;
  const rows = groups.flatMap((group) => settings.filter((setting) => setting.group === group)).map(row);
  return ['| name | what it does | default |', '|---|---|---|', ...rows].join('\n');
}

function between(text, begin, end, body) {
  const from = text.indexOf(begin);
  const to = text.indexOf(end);
  if (from < 0 || to < from) throw new Error(`README.md lacks the markers ${begin} and ${end}`);
  return `${text.slice(0, from + begin.length)}\n${body}\n${text.slice(to)}`;
}

const readme = readFileSync(new URL('README.md', root), 'utf8');
const files = {
  '.env.example': envExample(),
  'README.md': between(readme, '<!-- settings: begin (npm run generate) -->', '<!-- settings: end -->', readmeTable()),
};
for (const [name, wanted] of Object.entries(files)) {
  const file = new URL(name, root);
  if (!process.argv.includes('--check')) writeFileSync(file, wanted);
  else if (readIfThere(file) !== wanted) {
    process.stderr.write(`${name} is not what libs/config says: npm run generate\n`);
    process.exitCode = 1;
  }
}

function readIfThere(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
