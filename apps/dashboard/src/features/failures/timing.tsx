import type { TurnDetail } from '@callsmith/contracts';
import { formatCount, formatMicros, formatMillis, formatMoney } from '../../lib/format.ts';
import { useMe } from '../../lib/session.ts';
import { Card } from '../../ui/card.tsx';
import { timeParts } from './time-parts.ts';
import { Timeline } from './timeline.tsx';
import css from './timing.module.css';

/** Where a request's time went (gateway overhead, until the first token, the rest of the response; then what was done, and when), its tokens and their price. */
export function Timing({ detail: { turn, body } }: { detail: TurnDetail }) {
  const { currency } = useMe().installation;
  const total = Math.max(1, turn.totalMs);
  const { ours, wait, response } = timeParts(turn);
  const width = (ms: number) => `${Math.min(100, (ms / total) * 100)}%`;
  return (
    <Card
      title="Timing"
      subtitle={`${formatMillis(turn.totalMs)} total${turn.attempts > 1 ? `, ${turn.attempts} attempts` : ''}`}
    >
      <div className={css.bar} aria-hidden="true">
        {ours !== null && <div className={css.ours} style={{ width: width(ours) }} />}
        {wait !== null && <div className={css.wait} style={{ width: width(wait) }} />}
        <div className={css.answer} />
      </div>
      <ul className={css.legend}>
        {turn.addedUs !== null && (
          <li>
            <span className={`${css.swatch} ${css.ours}`} /> gateway overhead {formatMicros(turn.addedUs)}
          </li>
        )}
        {wait !== null && (
          <li>
            <span className={`${css.swatch} ${css.wait}`} /> time to first token {formatMillis(wait)}
          </li>
        )}
        {response !== null && (
          <li>
            <span className={`${css.swatch} ${css.answer}`} /> response {formatMillis(response)}
          </li>
        )}
        {turn.inputTokens !== null && (
          <li>
            {formatCount(turn.inputTokens)} tokens in, {formatCount(turn.outputTokens ?? 0)} out
            {turn.tokenSource && turn.tokenSource !== 'upstream' && ` (${turn.tokenSource})`}
            {turn.spend !== null && `, ${formatMoney(turn.spend, currency)}`}
          </li>
        )}
      </ul>
      {body?.timeline && <Timeline entries={body.timeline} totalMs={turn.totalMs} />}
    </Card>
  );
}
