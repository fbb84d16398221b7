import { useState } from 'react';

/**
 * What is read until somebody chooses: the first of a list when it was opened. What comes first later does not take its
 * place, as somebody is reading. `view` names the list; another one has a first of its own. `first` is undefined while
 * the list is not there yet; until then the last one stays.
 */
export function useKeptFirst(first: string | undefined, view: string): string | undefined {
  const [kept, setKept] = useState({ view, id: first });
  const isNew = first !== undefined && (kept.view !== view || kept.id === undefined);
  if (isNew) setKept({ view, id: first });
  return isNew ? first : kept.id;
}

/**
 * Groups, each with its newest request, where that of the chosen group stays the one that is read: a newer one of the
 * same group neither takes its place nor the choice away from the group.
 */
export function useKeptGroup<Group extends { readonly newestTurn: string }>(
  groups: readonly Group[],
  keyOf: (group: Group) => string,
  chosen: string | undefined,
): readonly Group[] {
  const [kept, setKept] = useState<{ turn: string; key: string } | null>(null);
  const found = groups.find(({ newestTurn }) => newestTurn === chosen);
  if (found && chosen !== undefined && (kept?.turn !== chosen || kept.key !== keyOf(found)))
    setKept({ turn: chosen, key: keyOf(found) });
  if (found || chosen === undefined || kept?.turn !== chosen) return groups;
  return groups.map((group) => (keyOf(group) === kept.key ? { ...group, newestTurn: chosen } : group));
}
