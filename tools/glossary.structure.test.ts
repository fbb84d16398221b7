import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const rows = [
  ...readFileSync(join(root, 'docs/glossary.md'), 'utf8').matchAll(/^\| ([a-z -]+) \| (.+) \| `(\w+)` \|$/gm),
];

it('docs/glossary.md has at most thirty words, each once and with one sentence', () => {
  expect(rows.length).toBeGreaterThan(20);
  expect(rows.length).toBeLessThanOrEqual(30);
  expect(new Set(rows.map(([, word]) => word)).size).toBe(rows.length);
  for (const [, word, meaning] of rows) expect(meaning, word).toMatch(/^[A-Z`][^.]*\.$/);
});

it('every type that docs/glossary.md names is exported', () => {
  const exported = execFileSync(
    'git',
    ['grep', '-hoE', 'export (interface|type|class|const) [A-Za-z]+', '--', '*.ts'],
    {
      cwd: root,
      encoding: 'utf8',
    },
  );
  const names = new Set(exported.split('\n').map((line) => line.split(' ').at(-1)));
  expect(rows.map(([, , , type]) => type).filter((type) => !names.has(type))).toEqual([]);
});
