import type { Key } from '@callsmith/contracts';
import type { Column } from '../../ui/table-column.ts';
import { RelativeTime } from '../../ui/timestamp.tsx';
import { KeyActions } from './key-actions.tsx';
import { Choose, LastUsed, Owner, Used } from './key-cells.tsx';
import { KeyLimits, KeyState } from './key-state.tsx';
import type { Usage } from './queries.ts';
import { RotationNotice } from './rotation-text.tsx';
import type { Selection } from './use-key-selection.ts';

/** The columns of the list of keys; with what can be done to one, or to those that are chosen, where that is allowed. */
export const columns = (
  mayChange: boolean,
  usage: ReadonlyMap<string, Usage> | undefined,
  selection: Selection,
): Column<Key>[] => [
  ...(mayChange ? [chooseColumn(selection)] : []),
  { key: 'holder', title: 'Owner', cell: (key) => <Owner of={key} />, sort: (key) => key.holder },
  { key: 'team', title: 'Team', cell: (key) => key.teamName, sort: (key) => key.teamName, hideBelow: 'Sm' },
  {
    key: 'state',
    title: 'State',
    cell: (key) => (
      <>
        <KeyState of={key} />
        <RotationNotice of={key} />
      </>
    ),
    sort: (key) => key.revokedAt ?? key.expiresAt,
  },
  { key: 'limits', title: 'Limits', cell: (key) => <KeyLimits of={key} />, hideBelow: 'Md' },
  {
    key: 'usage',
    title: 'Last 24 h',
    right: true,
    hideBelow: 'Lg',
    cell: (key) => <Used by={usage?.get(key.id)} />,
    sort: (key) => usage?.get(key.id)?.turns ?? 0,
  },
  { key: 'used', title: 'Last used', cell: (key) => <LastUsed of={key} />, sort: (key) => key.lastUsedAt },
  {
    key: 'created',
    title: 'Created',
    cell: (key) => <RelativeTime at={key.createdAt} />,
    sort: (key) => key.createdAt,
    hideBelow: 'Lg',
  },
  ...(mayChange ? [actionsColumn] : []),
];

const chooseColumn = (selection: Selection): Column<Key> => ({
  key: 'choose',
  title: 'Chosen',
  untitled: true,
  width: '36px',
  cell: (key) => <Choose of={key} selection={selection} />,
});

const actionsColumn: Column<Key> = {
  key: 'do',
  title: 'Actions',
  untitled: true,
  right: true,
  cell: (key) => <KeyActions of={key} />,
};
