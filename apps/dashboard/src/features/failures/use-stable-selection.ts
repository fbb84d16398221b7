import { useHover, useIdle } from '@mantine/hooks';
import { useState } from 'react';

/**
 * What is read until somebody selects: the first of a list when it was opened. What comes first later does not take its
 * place, as somebody is reading. `view` names the list; another one has a first of its own. `first` is undefined while
 * the list is not there yet; until then the last one stays.
 */
export function useStableFirst(first: string | undefined, view: string): string | undefined {
  const [kept, setKept] = useState({ view, id: first });
  const isNew = first !== undefined && (kept.view !== view || kept.id === undefined);
  if (isNew) setKept({ view, id: first });
  return isNew ? first : kept.id;
}

/**
 * Groups, each with its newest request, where that of the selected group stays the one that is read: a newer one of the
 * same group neither takes its place nor the selection away from the group.
 */
export function useStableGroups<Group extends { readonly group: string; readonly newestTurn: string }>(
  groups: readonly Group[],
  selected: string | undefined,
): readonly Group[] {
  const [kept, setKept] = useState<{ turn: string; group: string } | null>(null);
  const found = groups.find(({ newestTurn }) => newestTurn === selected);
  if (found && selected !== undefined && (kept?.turn !== selected || kept.group !== found.group))
    setKept({ turn: selected, group: found.group });
  if (found || selected === undefined || kept?.turn !== selected) return groups;
  return groups.map((item) => (item.group === kept.group ? { ...item, newestTurn: selected } : item));
}

/** After so long without any key or movement, in milliseconds, nobody is about to select. */
const IDLE_AFTER = 60_000;

/**
 * Groups in the order in which they were when the pointer came into the list, new ones at the end, so that none moves
 * away under the pointer. `view` names the list, which has an order of its own; undefined while it is not there yet. `ref`
 * belongs to the element around it.
 */
export function useHeldOrder<Group extends { readonly group: string }>(
  groups: readonly Group[],
  view: string | undefined,
) {
  const { hovered, ref } = useHover();
  const idle = useIdle(IDLE_AFTER, { initialState: false });
  const ids = groups.map(({ group }) => group);
  const [kept, setKept] = useState({ view, ids });
  const holds = hovered && !idle && kept.view === view;
  if (!holds && (kept.view !== view || kept.ids.join() !== ids.join())) setKept({ view, ids });
  return { ref, items: holds ? inOrderOf(kept.ids, groups) : groups };
}

/** The groups in the order of these ids, others at the end. */
function inOrderOf<Group extends { readonly group: string }>(
  ids: readonly string[],
  groups: readonly Group[],
): readonly Group[] {
  const places = new Map(ids.map((id, place) => [id, place]));
  const placeOf = ({ group }: Group): number => places.get(group) ?? ids.length;
  return [...groups].sort((one, other) => placeOf(one) - placeOf(other));
}
