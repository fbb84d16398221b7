// `node tools/release-notes.mjs 1.2.3`: prints the section of a version in CHANGELOG.md; exits with 1 if it is missing.
import { readFileSync } from 'node:fs';

const [version] = process.argv.slice(2);
const sections = readFileSync(new URL('../CHANGELOG.md', import.meta.url), 'utf8').split(/^## /m);
const found = sections.find((section) => section.startsWith(`${version} `));
const notes = found?.slice(found.indexOf('\n')).trim();
if (!notes) {
  process.stderr.write(`CHANGELOG.md has no section "## ${version} – DATE" that says what is new.\n`);
  process.exit(1);
}
process.stdout.write(`${notes}\n`);
