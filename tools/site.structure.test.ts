import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');

it('A-9: the documentation site lists every page, and no other', () => {
  const config = readFileSync(join(root, 'docs/.vitepress/config.mjs'), 'utf8');
  const listed = [...config.matchAll(/\['[^']+', '\/([^']*)'\]/g)].map(([, page]) => `${page || 'README'}.md`);
  expect(listed.filter((page) => !existsSync(join(root, page)))).toEqual([]);
  const pages = readdirSync(join(root, 'docs')).filter((file) => file.endsWith('.md'));
  expect(pages.map((page) => `docs/${page}`).filter((page) => !listed.includes(page))).toEqual([]);
});
