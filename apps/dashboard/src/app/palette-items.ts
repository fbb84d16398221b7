import type { Key, Me } from '@callsmith/contracts';
import { linkTo } from '../lib/address.ts';
import type { Recent } from '../lib/recent.ts';
import { searchOf } from '../lib/search.ts';
import { hasRole } from '../lib/session.ts';
import { linkOfPage, nav } from './nav.ts';

/** Where the command palette leads. */
export interface PaletteItem {
  readonly to: string;
  readonly label: string;
  readonly group: 'Search' | 'Recent' | 'Pages' | 'Models' | 'Teams' | 'Keys';
}

interface PaletteSources {
  readonly me: Me;
  readonly recent: readonly Recent[];
  readonly models: readonly Named[];
  readonly teams: readonly Named[];
  readonly keys: readonly Pick<Key, 'id' | 'holder' | 'hint' | 'teamName'>[];
}

interface Named {
  readonly id: string;
  readonly name: string;
}

/** How many places a group has at most, where there may be any number. */
const MOST_NAMED = 20;

/** The places for what was typed: their names contain every word of it. If nothing was typed: what was opened last, and all pages. */
export function paletteItems(typed: string, { me, recent, models, teams, keys }: PaletteSources): PaletteItem[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = ({ label }: { label: string }) => words.every((word) => label.toLowerCase().includes(word));
  const pages = nav
    .filter(({ needs }) => hasRole(me, needs))
    .map(({ to: where, label }) => ({ to: linkOfPage(me, where), label }));
  const account = { to: '/account', label: 'Your account' };
  const ofKeys = keys.map(({ id, holder, hint, teamName }) => ({
    to: `/keys/${encodeURIComponent(id)}`,
    label: `${holder} · ${hint} · ${teamName}`,
  }));
  const group = (name: PaletteItem['group'], places: readonly Recent[]) =>
    places.filter(fits).map((place): PaletteItem => ({ ...place, group: name }));
  return [
    ...group('Recent', recent),
    ...group('Pages', [...pages, account]),
    ...(words.length === 0
      ? []
      : [
          ...group('Models', named('/models', models)).slice(0, MOST_NAMED),
          ...group('Teams', named('/teams', teams)).slice(0, MOST_NAMED),
          ...group('Keys', ofKeys),
        ]),
    ...searches(typed, me),
  ];
}

const named = (page: string, rows: readonly Named[]): Recent[] =>
  rows.map(({ id, name }) => ({ to: `${page}/${encodeURIComponent(id)}`, label: name }));

function searches(typed: string, me: Me): PaletteItem[] {
  const search = searchOf(typed, hasRole(me, 'editor'));
  if (search === undefined) return [];
  if ('turn' in search)
    return [
      { to: `/failures/${encodeURIComponent(search.turn)}`, label: `Open request ${search.turn}`, group: 'Search' },
    ];
  return [
    {
      to: linkTo('/transcripts', { range: '30d', ...search }),
      label: `${'requestId' in search ? 'Find request ID' : 'Search requests for'} ${typed.trim()}`,
      group: 'Search',
    },
  ];
}
