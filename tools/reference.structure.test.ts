import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { alertTrigger } from '../libs/contracts/src/api/webhooks.ts';
import { referencePage } from './reference-page.ts';

it('docs/reference.md has every error code and every setting of a model (npm run generate writes it)', () => {
  expect(readFileSync('docs/reference.md', 'utf8')).toBe(referencePage());
});

it('docs/running.md names every alert', () => {
  const page = readFileSync('docs/running.md', 'utf8');
  const [, section = ''] = /^## Alerts\n([\s\S]*?)^## /m.exec(page) ?? [];
  const named = [...section.matchAll(/^\| `([\w-]+)` \|/gm)].map(([, name]) => name);
  expect(named.toSorted()).toEqual([...alertTrigger.options].toSorted());
});
