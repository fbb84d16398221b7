import type { TurnDetail } from '@callsmith/contracts';
import { classTexts } from '../../lib/explain.ts';
import { Lane } from './lane.tsx';
import css from './lanes.module.css';

type Tries = NonNullable<NonNullable<TurnDetail['body']>['tries']>;

/** The tries of a response that was corrected: what was added to the request, and what the model wrote. */
export const Tries = ({ tries }: { tries: Tries }) => (
  <section className={css.frame} aria-label="Tries">
    <div className={css.lanes}>
      {tries.map((attempt, at) => (
        <Lane
          key={titleOf(attempt, at)}
          title={titleOf(attempt, at)}
          copy={JSON.stringify(attempt, null, 2)}
          under={<Why classes={attempt.classes} />}
        >
          {textOf(attempt, at)}
        </Lane>
      ))}
    </div>
  </section>
);

const Why = ({ classes }: Pick<Tries[number], 'classes'>) => (
  <p className={css.quiet}>{classes.map((found) => classTexts[found] ?? found).join(' ')}</p>
);

const titleOf = ({ delivered }: Tries[number], at: number): string => `Try ${at + 1}${delivered ? ' (delivered)' : ''}`;

function textOf({ delivered, messages, raw }: Tries[number], at: number): string {
  const added =
    messages.length > 0 ? pretty(messages) : at === 0 ? 'The request as it came.' : 'The same request again.';
  const output = delivered ? 'The model output above.' : pretty(raw.map(({ cuts: _, ...choice }) => choice));
  return `Added to the request:\n${added}\n\nThe model wrote:\n${output}`;
}

const pretty = (value: unknown): string => JSON.stringify(value, null, 2) ?? '';
