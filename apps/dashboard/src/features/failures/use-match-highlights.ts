import { type RefObject, useEffect, useEffectEvent } from 'react';
import type { Match } from './json-search.ts';

/** How many matches are highlighted before and after the current one: more than are ever in view. */
const NEAR = 1_000;

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
    if (range) scrollTo(range, text.current?.parentElement);
  });
  useEffect(() => {
    if (current) showCurrent();
  }, [current]);
}

function rangesOf(root: HTMLElement | null, matches: readonly Match[]): Range[] {
  const nodes = new Map(
    [...(root?.querySelectorAll<HTMLElement>('[data-section]') ?? [])].map((section) => [
      Number(section.dataset.section),
      section.firstChild,
    ]),
  );
  return matches.flatMap(({ section, from, to }) => {
    const node = nodes.get(section);
    if (!node) return [];
    const range = new Range();
    range.setStart(node, from);
    range.setEnd(node, to);
    return [range];
  });
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
function scrollTo(range: Range, scroller: HTMLElement | null | undefined): void {
  if (!scroller) return;
  const { top, height } = range.getBoundingClientRect();
  const frame = scroller.getBoundingClientRect();
  scroller.scrollTop += top + height / 2 - (frame.top + frame.height / 2);
  scroller.scrollIntoView({ block: 'nearest' });
}
