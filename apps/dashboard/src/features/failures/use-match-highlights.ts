import { type RefObject, useEffect, useEffectEvent } from 'react';
import type { Match } from './json-search.ts';

/** How many matches are highlighted before and after the current one: more than are ever in view. */
const NEAR = 500;

interface Given {
  /** The element with a child of `data-section` for each section that is shown. */
  readonly text: RefObject<HTMLElement | null>;
  readonly found: readonly Match[];
  readonly place: number;
  readonly openFolds: ReadonlySet<number>;
}

/** Highlights matches without changing the page, which would be laid out anew, and brings the current one into view. */
export function useMatchHighlights({ text, found, place, openFolds }: Given): void {
  const current = found[place];
  // biome-ignore lint/correctness/useExhaustiveDependencies: an opened fold has new text
  useEffect(() => {
    const first = Math.max(0, place - NEAR);
    const near = found.slice(first, place + NEAR).filter((match) => match !== current);
    const removeNear = highlight('json-match', rangesOf(text.current, near));
    const removeCurrent = highlight('json-match-current', rangesOf(text.current, current ? [current] : []));
    return () => {
      removeNear();
      removeCurrent();
    };
  }, [text, found, place, current, openFolds]);
  const showCurrent = useEffectEvent(() => {
    const [range] = rangesOf(text.current, current ? [current] : []);
    const scroller = text.current?.parentElement;
    if (!range || !scroller) return;
    scrollTo(range, scroller);
    // Blocks that came into view by it have their own height from now on.
    requestAnimationFrame(() => scrollTo(range, scroller));
  });
  useEffect(() => {
    if (current) showCurrent();
  }, [current]);
}

/** The ranges of matches in the text that is shown. */
function rangesOf(root: HTMLElement | null, matches: readonly Match[]): Range[] {
  const texts = new Map<number, readonly Text[]>();
  for (const section of root?.querySelectorAll<HTMLElement>('[data-section]') ?? [])
    texts.set(Number(section.dataset.section), textsIn(section));
  return matches.flatMap(({ section, from, to }) => {
    let before = 0;
    for (const text of texts.get(section) ?? []) {
      if (to <= before + text.length) return [rangeIn(text, from - before, to - before)];
      before += text.length;
    }
    return [];
  });
}

/** The text of a section: one, or one for each of its blocks. No match goes beyond a line, so none beyond a block. */
const textsIn = (section: HTMLElement): readonly Text[] =>
  [section, ...section.children].map(({ firstChild }) => firstChild).filter((node) => node instanceof Text);

function rangeIn(text: Text, from: number, to: number): Range {
  const range = new Range();
  range.setStart(text, from);
  range.setEnd(text, to);
  return range;
}

/** Adds ranges to those that the page highlights under a name. Answers what removes them. */
function highlight(name: string, ranges: readonly Range[]): () => void {
  if (!('highlights' in CSS)) return () => {};
  const highlighted = CSS.highlights.get(name) ?? new Highlight();
  CSS.highlights.set(name, highlighted);
  for (const range of ranges) highlighted.add(range);
  return () => {
    for (const range of ranges) highlighted.delete(range);
  };
}

/** Brings a range into the middle of what scrolls around it, and that into view. */
function scrollTo(range: Range, scroller: HTMLElement): void {
  const { top, height } = range.getBoundingClientRect();
  const frame = scroller.getBoundingClientRect();
  scroller.scrollTop += top + height / 2 - (frame.top + frame.height / 2);
  scroller.scrollIntoView({ block: 'nearest' });
}
