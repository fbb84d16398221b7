import { Fragment, memo } from 'react';
import { formatCount } from '../../lib/format.ts';
import type { TextSection } from './fold.ts';
import css from './lanes.module.css';
import { textBlocks } from './text-blocks.ts';

interface Given {
  readonly sections: readonly TextSection[];
  /** The folded sections that are shown. */
  readonly open: ReadonlySet<number>;
  onToggle(section: number): void;
}

/** Sections of a text, the folded ones behind a button. */
export const FoldedText = ({ sections, open, onToggle }: Given) =>
  sections.map(({ text, folded }, n) => {
    const shown = !folded || open.has(n);
    return (
      <Fragment key={String(n)}>
        {folded && (
          <button type="button" className={css.fold} aria-expanded={shown} onClick={() => onToggle(n)}>
            {shown ? 'Fold' : 'Show'} {formatCount(folded.count)} {shown ? '' : 'more '}of “{folded.name}”
          </button>
        )}
        {shown && <Section n={n} text={text} />}
      </Fragment>
    );
  });

/** A long text in blocks, of which the browser lays out those that come into view. */
const Section = memo(function Section({ n, text }: { n: number; text: string }) {
  const blocks = textBlocks(text);
  return (
    <span data-section={n}>
      {blocks.length < 2
        ? text
        : blocks.map((block, at) => (
            <span key={String(at)} className={css.block}>
              {block}
            </span>
          ))}
    </span>
  );
});
