import type { TurnDetail } from '@callsmith/contracts';
import { formatMillis } from '../../lib/format.ts';
import { Lane } from './lane.tsx';
import css from './lanes.module.css';

type Rounds = NonNullable<NonNullable<TurnDetail['body']>['rounds']>;
type Run = Rounds[number]['runs'][number];

/** The rounds of agent mode, one after the other: what the model said, and the tools of MCP servers that ran for it. */
export const Rounds = ({ rounds }: { rounds: Rounds }) => (
  <section className={css.frame} aria-label="Rounds">
    <div className={css.lanes}>
      {rounds.map((round, at) => (
        <Lane
          key={titleOf(round, at)}
          title={titleOf(round, at)}
          copy={JSON.stringify(round, null, 2)}
          under={<p className={css.quiet}>{tokensOf(round)}</p>}
        >
          {[round.text, ...round.runs.map(runText)].filter((text) => text !== '').join('\n\n')}
        </Lane>
      ))}
    </div>
  </section>
);

const titleOf = ({ runs, tookMs }: Rounds[number], at: number): string => {
  const tools = runs.length === 0 ? 'no tools' : runs.length === 1 ? '1 tool' : `${runs.length} tools`;
  return `Round ${at + 1} · ${formatMillis(tookMs)} · ${tools}`;
};

const tokensOf = ({ inputTokens, outputTokens }: Rounds[number]): string =>
  inputTokens === null ? 'Tokens: unknown' : `Tokens: ${inputTokens} in, ${outputTokens ?? 0} out`;

const runText = ({ server, tool, arguments: json, result, failed, tookMs }: Run): string =>
  `${server === null ? 'No such tool' : server}: ${tool}(${json})\n${failed ? 'Failed' : 'Result'} after ${formatMillis(tookMs)}:\n${result}`;
