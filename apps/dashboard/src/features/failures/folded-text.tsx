import { useMemo, useState } from 'react';
import { formatCount } from '../../lib/format.ts';
import { foldedSections, type TextSection } from './fold.ts';
import css from './lanes.module.css';

/** A recorded request, with what is in the middle of its long lists behind a button. */
export function FoldedText({ text }: { text: string }) {
  const stretches = useMemo(() => foldedSections(text), [text]);
  return stretches.map((stretch, n) =>
    stretch.folded ? <Fold key={String(n)} {...stretch.folded} text={stretch.text} /> : stretch.text,
  );
}

function Fold({ name, count, text }: NonNullable<TextSection['folded']> & { text: string }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" className={css.fold} aria-expanded={open} onClick={() => setOpen(!open)}>
        {open ? 'Fold' : 'Show'} {formatCount(count)} {open ? '' : 'more '}of “{name}”
      </button>
      {open && text}
    </>
  );
}
