import type { Me } from '@callsmith/contracts';
import { expect, it } from 'vitest';
import { linkOfPage } from './nav.ts';
import { paletteItems } from './palette-items.ts';

const as = (role: Me['user']['role']) => ({ user: { role }, defaultViews: {} }) as Me;
const models = [{ id: 'model_1', name: 'qwen3-coder' }];
const teams = [{ id: 'team_1', name: 'Research' }];
const keys = [{ id: 'key_1', holder: 'Ada Lovelace', hint: 'sk-…ab12', teamName: 'Research' }];
const lists = { models, teams, keys };
const recent = [{ to: '/failures/turn_1', label: 'Request to qwen3-coder' }];

it('lead to what was read last and to the pages of one’s role', () => {
  const places = paletteItems('', { me: as('viewer'), recent, ...lists });
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
  expect(paletteItems('audit', { me: as('admin'), recent, ...lists })[0]).toMatchObject({ to: '/audit' });
});

it('lead, as the menu does, to the default view of a screen; a time range of now goes before its own', () => {
  const me = { ...as('viewer'), defaultViews: { failures: { model: 'qwen3', range: '7d' } } } as Me;
  expect(paletteItems('failures', { me, recent: [], ...lists })[0]?.to).toBe('/failures?model=qwen3&range=7d');
  expect(linkOfPage(me, '/failures', { from: 'a', to: 'b' })).toBe('/failures?model=qwen3&from=a&to=b');
  expect(linkOfPage(me, '/transcripts', { range: '1h' })).toBe('/transcripts?range=1h');
});

it('lead to models by any words of their names, and to a search for what was typed', () => {
  const places = paletteItems('coder QWEN', { me: as('editor'), recent: [], ...lists });
  expect(places).toEqual([
    { to: '/models/model_1', label: 'qwen3-coder', group: 'Models' },
    { to: '/transcripts?range=30d&text=coder+QWEN', label: 'Search requests for coder QWEN', group: 'Search' },
  ]);
});

it('lead to teams and keys by words of what they are called', () => {
  const found = (typed: string) =>
    paletteItems(typed, { me: as('viewer'), recent: [], ...lists }).filter(({ group }) => group !== 'Search');
  expect(found('research')).toEqual([
    { to: '/teams/team_1', label: 'Research', group: 'Teams' },
    { to: '/keys/key_1', label: 'Ada Lovelace · sk-…ab12 · Research', group: 'Keys' },
  ]);
  expect(found('love ada')).toMatchObject([{ to: '/keys/key_1' }]);
});

it('lead to a request by its ID; who may not read message content searches by IDs only', () => {
  const id = `turn_${'1'.repeat(32)}`;
  expect(paletteItems(id, { me: as('viewer'), recent, ...lists })).toEqual([
    { to: `/failures/${id}`, label: `Open request ${id}`, group: 'Search' },
  ]);
  expect(paletteItems('words', { me: as('viewer'), recent, ...lists })[0]?.to).toBe(
    '/transcripts?range=30d&requestId=words',
  );
});
