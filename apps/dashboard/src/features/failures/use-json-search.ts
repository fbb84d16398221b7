import { useDeferredValue, useMemo, useState } from 'react';
import { toggled } from '../../lib/toggled.ts';
import type { TextSection } from './fold.ts';
import { findMatches, type Match } from './json-search.ts';

/** A search in a text of JSON: what is searched for, where it was found, and which folds are open. */
export function useJsonSearch(sections: readonly TextSection[]) {
  const [search, setSearch] = useState({ query: '', place: 0 });
  // Typing goes first: to search a long text takes some milliseconds.
  const { query, place } = useDeferredValue(search);
  const texts = useMemo(() => sections.map(({ text }) => text), [sections]);
  const matches = useMemo(() => findMatches(texts, query), [texts, query]);
  const count = matches.found.length;
  const current = matches.found[place];
  const [openFolds, setOpenFolds] = useState<ReadonlySet<number>>(new Set());
  // The fold around a match opens when the match becomes the current one, and can be closed again.
  const [previous, setPrevious] = useState<Match>();
  if (current !== previous) {
    setPrevious(current);
    if (current && sections[current.section]?.folded) setOpenFolds(new Set([...openFolds, current.section]));
  }
  return {
    typed: search.query,
    matches,
    place,
    current,
    openFolds,
    searchFor: (words: string) => setSearch({ query: words, place: 0 }),
    step: (by: 1 | -1) => count > 0 && setSearch({ ...search, place: (place + by + count) % count }),
    toggleFold: (section: number) => setOpenFolds(toggled(openFolds, section)),
  };
}
