import { useMemo, useState } from 'react';
import { formatCount, plural } from '../../../lib/format.ts';
import css from './compare.module.css';
import type { Comparison } from './comparisons.ts';
import { type DiffLine, type DiffRow, differencesOf } from './differences.ts';

/** How many rows are drawn at first, and with each “Show more”. */
const STEP = 500;

/** One text with what was taken out of it and put into it, for the eye and for screen readers. */
export function DifferenceText({ before, after }: Pick<Comparison, 'before' | 'after'>) {
  const rows = useMemo(() => differencesOf(before.text, after.text), [before.text, after.text]);
  const [shown, setShown] = useState(STEP);
  const removed = count(rows, 'removed');
  const added = count(rows, 'added');
  if (removed + added === 0) return <p role="status">No differences.</p>;
  return (
    <>
      <p role="status">
        {plural(removed, 'line')} only in {inSentence(before.title)} (−), {plural(added, 'line')} only in{' '}
        {inSentence(after.title)} (+). The order of JSON properties is ignored.
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard */}
      <section className={css.text} tabIndex={0} aria-label="Differences">
        {rows
          .slice(0, shown)
          .map((row, at) =>
            row.kind === 'skipped' ? (
              <Skipped key={String(at)} lines={row.lines} />
            ) : (
              <OneLine key={String(at)} {...row} />
            ),
          )}
        {rows.length > shown && (
          <button type="button" className={css.more} onClick={() => setShown(shown + STEP)}>
            Show more: {plural(rows.length - shown, 'row')} left
          </button>
        )}
      </section>
    </>
  );
}

function Skipped({ lines }: { lines: readonly DiffLine[] }) {
  const [shown, setShown] = useState(0);
  const left = lines.length - shown;
  return (
    <>
      {lines.slice(0, shown).map((line, at) => (
        <OneLine key={String(at)} {...line} />
      ))}
      {left > 0 && (
        <button type="button" className={css.more} onClick={() => setShown(shown + STEP)}>
          {left === 1 ? '1 unchanged line' : `${formatCount(left)} unchanged lines`}
        </button>
      )}
    </>
  );
}

function OneLine({ kind, pieces }: DiffLine) {
  const Tag = kind === 'removed' ? 'del' : kind === 'added' ? 'ins' : 'span';
  return (
    <Tag className={css.line} data-sign={signs[kind]}>
      {pieces.map(({ text, changed }, at) =>
        changed ? <mark key={String(at)}>{text}</mark> : <span key={String(at)}>{text}</span>,
      )}
      {'\n'}
    </Tag>
  );
}

const signs = { same: ' ', removed: '−', added: '+' } as const;

const count = (rows: readonly DiffRow[], kind: DiffRow['kind']): number =>
  rows.filter((row) => row.kind === kind).length;

const inSentence = (title: string): string => `“${title}”`;
