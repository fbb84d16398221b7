import { actionTexts } from '../../lib/explain.ts';
import { formatCount } from '../../lib/format.ts';
import css from './lanes.module.css';
import { broadFindings, byteOffsets, type Finding, markedPieces, markText } from './marks.ts';

/** A hostile response may have any number of findings; this many are drawn. */
const most = 1000;

/** A text with findings marked where they are, each by its rule or class and its bytes. */
export function Marked({ text, notes }: { text: string; notes: readonly Finding[] }) {
  const placed = notes.filter((note) => note.range);
  const marks = placed.slice(0, most);
  return (
    <>
      {placed.length > most && (
        <div className={css.quiet}>
          the first {formatCount(most)} of {formatCount(placed.length)} findings are marked
        </div>
      )}
      <Pieces text={text} marks={marks} />
    </>
  );
}

function Pieces({ text, marks }: { text: string; marks: readonly Finding[] }) {
  const bytes = byteOffsets(text, marks);
  const quiet = broadFindings(marks);
  let at = 0;
  return markedPieces(text, marks).map((piece, n) => {
    at += piece.text.length;
    if (piece.marks.length === 0) return piece.text;
    // What is about the whole call comes last, behind the repairs in it.
    const ending = piece.marks
      .filter((mark) => mark.range?.[1] === at)
      .sort((a, b) => Number(quiet.has(a)) - Number(quiet.has(b)));
    const labels = new Map(ending.map((mark) => [markText(mark, bytes), mark]));
    const around = piece.marks.every((mark) => quiet.has(mark));
    return (
      <span key={String(n)}>
        {piece.text !== '' && (
          <mark
            className={around ? css.whole : css.mark}
            title={piece.marks.map((mark) => markText(mark, bytes) + done(mark)).join('\n')}
            data-dropped={around && piece.marks.some(isDropped) ? true : undefined}
            data-space={around ? undefined : spaceOf(piece.text)}
          >
            {piece.text}
          </mark>
        )}
        {[...labels].map(([label, mark]) => (
          <span key={label} className={css.rule} data-dropped={isDropped(mark) ? true : undefined}>
            {label}
          </span>
        ))}
      </span>
    );
  });
}

const isDropped = (mark: Finding): boolean => mark.action === 'dropped';

const done = ({ action }: Finding): string => (action ? `: ${actionTexts[action] ?? action}` : '');

// `\n` for a line break: what is only white space would not be seen.
const spaceOf = (text: string) => (text.trim() === '' ? JSON.stringify(text).slice(1, -1) : undefined);
