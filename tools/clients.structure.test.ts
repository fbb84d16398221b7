import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { clientsPage } from './clients-page.ts';

it('docs/clients.md is what the dashboard shows (npm run generate writes it)', () => {
  expect(readFileSync('docs/clients.md', 'utf8')).toBe(clientsPage());
});
