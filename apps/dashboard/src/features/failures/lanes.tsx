import type { TurnDetail } from '@callsmith/contracts';
import { Delivered } from './delivered.tsx';
import { FoldedText } from './folded-text.tsx';
import { Lane } from './lane.tsx';
import css from './lanes.module.css';
import { ModelOutput } from './model-output.tsx';
import { pretty } from './pretty.ts';
import { Rounds } from './rounds.tsx';
import { Tries } from './tries.tsx';

type Body = NonNullable<TurnDetail['body']>;

/** The model output beside the response to the client, and below them the client’s request and the one sent upstream; then the rounds of agent mode, and the tries at an answer that was asked for again. */
export const Lanes = ({ body }: { body: Body }) => (
  <>
    <div className={css.frame}>
      <div className={css.lanes}>
        <ModelOutput body={body} />
        <Lane title="Response to client" copy={pretty(body.delivered)}>
          <Delivered value={body.delivered} />
        </Lane>
        <Lane title="Client request" copy={body.clientRequest}>
          {body.clientRequest === null ? <None /> : <FoldedText text={body.clientRequest} />}
        </Lane>
        <Lane title="Upstream request" copy={body.upstreamRequest}>
          {body.upstreamRequest === null ? <None /> : <FoldedText text={body.upstreamRequest} />}
        </Lane>
      </div>
    </div>
    {body.rounds && <Rounds rounds={body.rounds} />}
    {body.tries && <Tries tries={body.tries} />}
  </>
);

const None = () => <span className={css.quiet}>not stored</span>;
