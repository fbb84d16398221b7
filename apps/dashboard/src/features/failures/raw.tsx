import type { TurnDetail } from '@callsmith/contracts';
import css from './lanes.module.css';
import { Marked } from './marked.tsx';
import { type Finding, findingsByText, nativeCalls } from './marks.ts';

type RawChoice = NonNullable<TurnDetail['body']>['raw'][number];

/** The model's answer as it came, with repairs marked where they were made. */
export function Raw({ raw, notes }: { raw: readonly RawChoice[]; notes: readonly Finding[] }) {
  if (raw.length === 0) return <span className={css.quiet}>no output</span>;
  return raw.map((choice) => {
    const calls = nativeCalls(choice.fragments);
    const choiceNotes = notes.filter((note) => (note.choice ?? 0) === choice.choice);
    const found = findingsByText(choiceNotes, calls.length);
    return (
      <div key={choice.choice} className={css.part}>
        {raw.length > 1 && <div className={css.quiet}>choice {choice.choice + 1}</div>}
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
          <span className={css.quiet}>empty response</span>
        )}
      </div>
    );
  });
}

/** The whole answer as text, to copy. */
export const rawText = (raw: readonly RawChoice[]): string =>
  raw
    .map((choice) =>
      [choice.reasoning, choice.text, ...nativeCalls(choice.fragments).map((call) => `${call.name} ${call.text}`)]
        .filter((text) => text !== '')
        .join('\n\n'),
    )
    .join('\n\n');
