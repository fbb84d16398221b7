import { ActionIcon } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useMemo, useRef, useState } from 'react';
import { useShortcuts } from '../../lib/shortcuts.ts';
import { foldedSections } from './fold.ts';
import { FoldedText } from './folded-text.tsx';
import { excerptOf } from './json-search.ts';
import { JsonSearchField } from './json-search-field.tsx';
import { Lane } from './lane.tsx';
import { useJsonSearch } from './use-json-search.ts';
import { useMatchHighlights } from './use-match-highlights.ts';

interface Given {
  readonly title: string;
  readonly json: string;
  /** The search opens by `/` as well. */
  readonly shortcut: boolean;
}

/** A recorded request, with what is in the middle of its long lists folded, and a search in its keys and values. */
export function JsonLane({ title, json, shortcut }: Given) {
  const sections = useMemo(() => foldedSections(json), [json]);
  const [searching, setSearching] = useState(false);
  const { typed, matches, place, current, openFolds, searchFor, step, toggleFold } = useJsonSearch(sections);
  const text = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const field = useRef<HTMLInputElement>(null);
  useMatchHighlights({ text, found: matches.found, place, openFolds });
  const open = () => {
    setSearching(true);
    field.current?.select();
  };
  const close = () => {
    setSearching(false);
    searchFor('');
    button.current?.focus();
  };
  // Some keyboards have `/` above another key.
  useShortcuts(shortcut ? { '/': open, 'shift+/': open } : {});
  const label = `Search ${title.toLowerCase()}`;
  return (
    <Lane
      title={title}
      copy={json}
      aside={
        <ActionIcon
          ref={button}
          variant="subtle"
          color="gray"
          onClick={searching ? close : open}
          aria-expanded={searching}
          aria-label={label}
          title={shortcut ? `${label} (/)` : label}
        >
          <IconSearch size={16} aria-hidden="true" />
        </ActionIcon>
      }
      under={
        searching && (
          <JsonSearchField
            label={label}
            field={field}
            typed={typed}
            matches={matches}
            place={place}
            excerpt={current && excerptOf(sections[current.section]?.text ?? '', current)}
            onSearch={searchFor}
            onStep={step}
            onClose={close}
          />
        )
      }
    >
      <div ref={text}>
        <FoldedText sections={sections} open={openFolds} onToggle={toggleFold} />
      </div>
    </Lane>
  );
}
