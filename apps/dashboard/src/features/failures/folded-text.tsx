import { Fragment } from 'react';
import { formatCount } from '../../lib/format.ts';
import type { TextSection } from './fold.ts';
import css from './lanes.module.css';

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
        {shown && <span data-section={n}>{text}</span>}
      </Fragment>
    );
  });
