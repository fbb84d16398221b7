import type { Me } from '@callsmith/contracts';
import { expect, it } from 'vitest';
import { placesFor } from './places.ts';

const as = (role: Me['user']['role']) => ({ user: { role } }) as Me;
const models = [{ id: 'model_1', name: 'qwen3-coder' }];
const recent = [{ to: '/failures/turn_1', label: 'Request to qwen3-coder' }];

it('lead to what was read last and to the pages of one’s role', () => {
  const places = placesFor('', { me: as('viewer'), recent, models });
  expect(places.map(({ group, label }) => `${group}: ${label}`)).toEqual([
    'Recent: Request to qwen3-coder',
    'Pages: Overview',
    'Pages: Failures',
    'Pages: Transcripts',
    'Pages: Models',
    'Pages: Keys',
    'Pages: Usage',
    'Pages: Your account',
  ]);
  expect(placesFor('audit', { me: as('admin'), recent, models })[0]).toMatchObject({ to: '/audit' });
});

it('lead to models by any words of their names, and to a search for what was typed', () => {
  const places = placesFor('coder QWEN', { me: as('editor'), recent: [], models });
  expect(places).toEqual([
    { to: '/models/model_1', label: 'qwen3-coder', group: 'Models' },
    { to: '/transcripts?range=30d&text=coder+QWEN', label: 'Search requests for coder QWEN', group: 'Search' },
  ]);
});

it('lead to a request by its ID; who may not read message content searches by IDs only', () => {
  const id = `turn_${'1'.repeat(32)}`;
  expect(placesFor(id, { me: as('viewer'), recent, models })).toEqual([
    { to: `/failures/${id}`, label: `Open request ${id}`, group: 'Search' },
  ]);
  expect(placesFor('words', { me: as('viewer'), recent, models })[0]?.to).toBe(
    '/transcripts?range=30d&requestId=words',
  );
});
