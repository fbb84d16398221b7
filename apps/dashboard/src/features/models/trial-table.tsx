import type { Trial, TrialAnswer, TrialRow } from '@callsmith/contracts';
import { Anchor, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { linkTo } from '../../lib/address.ts';
import { formatCount, formatMillis, plural } from '../../lib/format.ts';
import { badgeOf, OutcomeBadge } from '../../ui/outcome.tsx';
import { Timestamp } from '../../ui/timestamp.tsx';
import css from './trial.module.css';
import { outcomesText, type TrialSums, trialSums } from './trial-sums.ts';
import { hasEnded } from './use-trial.ts';

/** Each request of a trial: how it came out then and now, and what they come to. */
export function TrialTable({ trial }: { trial: Trial }) {
  const sums = trialSums(trial.rows);
  const builtIn = trial.rows.some((row) => row.builtIn !== null);
  return (
    <table className={`${css.table} ${builtIn ? css.builtIn : ''}`} aria-label="Trial">
      <thead>
        <tr>
          <th scope="col">{builtIn ? 'Request' : 'Failed request'}</th>
          {!builtIn && <th scope="col">Recorded</th>}
          <th scope="col">
            Trial: {trial.strategy}, {trial.dialect}
          </th>
        </tr>
      </thead>
      <tbody>
        {trial.rows.map((row) => (
          <tr key={row.turn?.id ?? row.builtIn}>
            <th scope="row">
              <RequestName row={row} />
            </th>
            {!builtIn && <td>{row.old && <Answer answer={row.old} />}</td>}
            <td>
              {row.new ? (
                <Answer answer={row.new} wanted={wantedCalls(row)} />
              ) : (
                <Text c="dimmed" fz="sm">
                  {hasEnded(trial) ? 'not tried' : 'pending'}
                </Text>
              )}
            </td>
          </tr>
        ))}
      </tbody>
      {sums.tried > 0 && (
        <tfoot>
          <tr>
            <th scope="row">{plural(sums.tried, 'request')}</th>
            {!builtIn && <td>{sums.old && <Sum sum={sums.old} />}</td>}
            <td>
              <Sum sum={sums.new} />
            </td>
          </tr>
        </tfoot>
      )}
    </table>
  );
}

const builtInTexts = {
  'one-call': 'One call',
  'three-calls': 'Three parallel calls',
  'long-argument': 'A long argument with quotes, backslashes and emoji',
} as const;

function RequestName({ row: { turn, builtIn } }: { row: TrialRow }) {
  if (turn)
    return (
      <>
        <Anchor component={Link} to={linkTo(`/failures/${turn.id}`)}>
          <Timestamp at={turn.at} />
        </Anchor>
        <Text fz="xs" c="dimmed">
          {[turn.strategyUsed, turn.dialect].filter((part) => part !== null).join(', ')}
        </Text>
      </>
    );
  return builtIn && builtInTexts[builtIn];
}

const wantedCalls = ({ builtIn }: TrialRow): number | undefined => (builtIn === 'three-calls' ? 3 : undefined);

/** One answer; `wanted`: how many calls the case expects, where the number is known. */
function Answer({ answer, wanted }: { answer: TrialAnswer; wanted?: number | undefined }) {
  const { classes, errorCode, errorMessage, calls } = answer;
  const why = [...classes, ...(errorCode ? [errorCode] : [])].join(', ');
  return (
    <>
      <div className={css.outcome}>
        <OutcomeBadge outcome={badgeOf(answer)} />
        {why && (
          <Text span fz="xs" className={css.why}>
            {why}
          </Text>
        )}
        {wanted !== undefined && !errorCode && (
          <Text span fz="xs" c="dimmed">
            {calls} of {plural(wanted, 'call')}
          </Text>
        )}
      </div>
      {errorMessage && (
        <Text fz="xs" c="dimmed" lineClamp={3} className={css.why}>
          {errorMessage}
        </Text>
      )}
      <Cost of={answer} />
    </>
  );
}

const Sum = ({ sum }: { sum: TrialSums }) => (
  <>
    <Text fz="sm" fw={600}>
      {outcomesText(sum)}
    </Text>
    <Cost of={sum} />
  </>
);

const Cost = ({
  of: { inputTokens, outputTokens, totalMs },
}: {
  of: Pick<TrialSums, 'inputTokens' | 'outputTokens' | 'totalMs'>;
}) => (
  <Text fz="xs" c="dimmed">
    {inputTokens === null && outputTokens === null ? (
      'tokens unknown'
    ) : (
      <>
        <Part>{formatCount(inputTokens ?? 0)} in,</Part> <Part>{formatCount(outputTokens ?? 0)} out</Part>
      </>
    )}
    {' · '}
    <Part>{formatMillis(totalMs)}</Part>
  </Text>
);

const Part = ({ children }: { children: ReactNode }) => <span className={css.part}>{children}</span>;
