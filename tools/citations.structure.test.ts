import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { danglingCitations } from './citations.ts';
import { requirementsPage, securityPage } from './shown-by.ts';

const root = join(import.meta.dirname, '..');

/** Foreign text (recorded model output, packages), images, and this test, whose citations are broken on purpose. */
const NOT_SEARCHED = /(?:^|\/)fixtures\/|package-lock\.json$|\.(?:svg|png|ico|woff2?)$|citations\.structure\.test\.ts$/;

const read = (file: string) => readFileSync(join(root, file), 'utf8');

function repository(): Map<string, string> {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' });
  const files = listed.split('\n').filter((file) => file !== '' && existsSync(join(root, file)));
  return new Map(files.map((file) => [file, NOT_SEARCHED.test(file) ? '' : read(file)]));
}

it('no citation, link or path in this repository is broken', () => {
  expect(danglingCitations(repository())).toEqual([]);
});

it('docs/requirements.md and docs/security.md are current (npm run generate)', () => {
  expect(read('docs/requirements.md')).toBe(requirementsPage());
  expect(read('docs/security.md')).toBe(securityPage());
});

const pages: readonly (readonly [string, string])[] = [
  ['docs/behavior.md', '### D-1 · A truncated call\n'],
  ['docs/security.md', '## 1 · Routes\n\n## 2 · Hosts\n'],
  ['docs/requirements.md', '| R-1 | a | built | – |\n'],
  ['docs/decisions/0001-two-commands.md', '# 1 · Two commands\n'],
  ['libs/turn/src/turn.ts', ''],
];

it.each([
  ['a.ts', '// kept whole (D-2)', 'D-2 is no rule of docs/behavior.md'],
  ['a.ts', "it('security 2, 3: closed', () => {", 'security 3 is no check of docs/security.md'],
  ['a.ts', 'const a = 1; // R-2 asks for it', 'R-2 is no requirement of docs/requirements.md'],
  ['a.ts', '/** See decision 2. */', 'decision 2 has no page in docs/decisions'],
  ['a.ts', ' * As clients.md 4 says.', 'there is no clients.md'],
  ['a.sql', '-- see docs/vocabulary.md', 'there is no docs/vocabulary.md'],
  ['a.md', 'See [there](docs/there.md).', 'the link to docs/there.md is broken'],
  ['a.md', 'See docs/there.md.', 'there is no docs/there.md'],
  ['a.md', '[rules](docs/behavior.md#d-2--nothing)', 'docs/behavior.md has no #d-2--nothing'],
  ['a.md', 'one line in `libs/turn/src/turns.ts`', 'there is no libs/turn/src/turns.ts'],
  ['a.md', '`libs/turns/<name>.ts`', 'there is no libs/turns/<name>.ts'],
  ['libs/turn/README.md', '`turn.ts`, `events/`', 'there is no events/'],
])('finds broken references in %s: %s', (file, text, problem) => {
  expect(danglingCitations(new Map([...pages, [file, text]]))).toContain(`${file}: ${problem}`);
});

it.each([
  ['a.ts', '// as D-1, security 2 and R-1 ask for; see decision 1 and docs/behavior.md'],
  ['a.ts', "const path = 'notes/todo.md'; const id = 'E-99';"],
  [
    'a.md',
    '[a rule](docs/behavior.md#d-1--a-truncated-call), `libs/turn/src/<name>.ts`, [site](https://example.com/x.html)',
  ],
  ['a.md', '```\nD-99 in an example\n```'],
])('accepts what resolves, and what is data: %s: %s', (file, text) => {
  expect(danglingCitations(new Map([...pages, [file, text]]))).toEqual([]);
});
