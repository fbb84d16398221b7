import type { TurnDetail } from '@callsmith/contracts';
import { actionSay } from '../../lib/explain.ts';
import css from './lanes.module.css';
import { byText, type Finding, isWhole, nativeCalls, pieces, sayMark } from './marks.ts';

type RawChoice = NonNullable<TurnDetail['body']>['raw'][number];

/** The model's answer as it came, with what was mended marked where it stood. */
export function Raw({ raw, notes }: { raw: readonly RawChoice[]; notes: readonly Finding[] }) {
  if (raw.length === 0) return <span className={css.quiet}>nothing came</span>;
  return raw.map((choice) => {
    const calls = nativeCalls(choice.fragments);
    const found = byText(notes, calls.length);
    return (
      <div key={choice.choice} className={css.part}>
        {raw.length > 1 && <div className={css.quiet}>answer {choice.choice + 1}</div>}
        {choice.reasoning !== '' && <div className={`${css.part} ${css.quiet}`}>{choice.reasoning}</div>}
        {choice.text !== '' && (
          <div className={css.part}>
            <Marked text={choice.text} notes={found.text} />
          </div>
        )}
        {calls.map((call, n) => (
          <div key={`${call.name}-${String(n)}`} className={css.part}>
            <span className={css.call}>{call.name === '' ? '(no name)' : call.name}</span>
            {call.text === '' ? (
              <span className={css.quiet}>no arguments</span>
            ) : (
              <Marked text={call.text} notes={found.calls[n] ?? []} />
            )}
          </div>
        ))}
        {choice.text === '' && choice.reasoning === '' && calls.length === 0 && (
          <span className={css.quiet}>an empty answer</span>
        )}
      </div>
    );
  });
}

function Marked({ text, notes }: { text: string; notes: readonly Finding[] }) {
  let at = 0;
  return pieces(text, notes).map((piece) => {
    const start = at;
    at += piece.text.length;
    if (piece.marks.length === 0) return piece.text;
    // What is about the whole call comes last, behind the repairs in it.
    const ending = piece.marks
      .filter((mark) => mark.range?.[1] === at)
      .sort((a, b) => Number(isWhole(a)) - Number(isWhole(b)));
    const say = piece.marks.map(
      (mark) => `${sayMark(mark, text)}${mark.action ? `: ${actionSay[mark.action] ?? mark.action}` : ''}`,
    );
    const whole = piece.marks.every(isWhole);
    return (
      <span key={start}>
        <mark
          className={whole ? css.whole : css.mark}
          title={say.join('\n')}
          data-space={whole ? undefined : spaceOf(piece.text)}
        >
          {piece.text}
        </mark>
        {[...new Set(ending.map((mark) => sayMark(mark, text)))].map((label) => (
          <span key={label} className={css.rule}>
            {label}
          </span>
        ))}
      </span>
    );
  });
}

// `\n` for a line break: what is only white space would not be seen.
const spaceOf = (text: string) => (text.trim() === '' ? JSON.stringify(text).slice(1, -1) : undefined);

/** The whole answer as text, to copy. */
export const rawText = (raw: readonly RawChoice[]): string =>
  raw
    .map((choice) =>
      [choice.reasoning, choice.text, ...nativeCalls(choice.fragments).map((call) => `${call.name} ${call.text}`)]
        .filter((text) => text !== '')
        .join('\n\n'),
    )
    .join('\n\n');
