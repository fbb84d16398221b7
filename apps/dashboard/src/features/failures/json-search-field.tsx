import { ActionIcon, CloseButton, Text, TextInput, VisuallyHidden } from '@mantine/core';
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import type { KeyboardEvent, Ref } from 'react';
import { formatCount } from '../../lib/format.ts';
import type { Matches } from './json-search.ts';
import css from './lanes.module.css';

interface Given {
  readonly label: string;
  readonly field: Ref<HTMLInputElement>;
  readonly typed: string;
  readonly matches: Matches;
  readonly place: number;
  /** The line of the current match, for who does not see it highlighted. */
  readonly excerpt: string | undefined;
  onSearch(words: string): void;
  onStep(by: 1 | -1): void;
  onClose(): void;
}

/** A field whose matches are counted, with ways to the next and the previous one. */
export function JsonSearchField({ label, field, typed, matches, place, excerpt, onSearch, onStep, onClose }: Given) {
  const count = matches.found.length;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || (event.key !== 'Enter' && event.key !== 'Escape')) return;
    event.preventDefault();
    if (event.key === 'Escape') onClose();
    else onStep(event.shiftKey ? -1 : 1);
  };
  return (
    <div className={css.search}>
      <TextInput
        ref={field}
        size="xs"
        flex="1 1 110px"
        aria-label={label}
        placeholder="Key or value"
        value={typed}
        onChange={({ currentTarget }) => onSearch(currentTarget.value)}
        onKeyDown={onKeyDown}
        maxLength={1000}
        autoFocus
      />
      <Text fz="xs" c="dimmed" role="status">
        {typed.trim() !== '' && countText(matches, place)}
        {excerpt !== undefined && <VisuallyHidden>: {excerpt}</VisuallyHidden>}
      </Text>
      <ActionIcon
        variant="subtle"
        color="gray"
        disabled={count === 0}
        onClick={() => onStep(-1)}
        aria-label="Previous match"
        title="Previous match (Shift Enter)"
      >
        <IconChevronUp size={16} aria-hidden="true" />
      </ActionIcon>
      <ActionIcon
        variant="subtle"
        color="gray"
        disabled={count === 0}
        onClick={() => onStep(1)}
        aria-label="Next match"
        title="Next match (Enter)"
      >
        <IconChevronDown size={16} aria-hidden="true" />
      </ActionIcon>
      <CloseButton onClick={onClose} aria-label="Close search" title="Close search (Esc)" />
    </div>
  );
}

function countText({ found, more }: Matches, place: number): string {
  if (found.length === 0) return 'No matches';
  return `${formatCount(place + 1)} of ${formatCount(found.length)}${more ? '+' : ''}`;
}
