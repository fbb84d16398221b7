import type { TurnDetail } from '@callsmith/contracts';
import { Delivered } from './delivered.tsx';
import { JsonLane } from './json-lane.tsx';
import { Lane } from './lane.tsx';
import css from './lanes.module.css';
import { ModelOutput } from './model-output.tsx';
import { pretty } from './pretty.ts';
import { Rounds } from './rounds.tsx';
import { Tries } from './tries.tsx';

type Body = NonNullable<TurnDetail['body']>;

/** The model output beside the response to the client, and below them the client request and the upstream request; then the rounds of agent mode, and the tries of a response that was corrected. */
export const Lanes = ({ body }: { body: Body }) => (
  <>
    <div className={css.frame}>
      <div className={css.lanes}>
        <ModelOutput body={body} />
        <Lane title="Response to client" copy={pretty(body.delivered)}>
          <Delivered value={body.delivered} />
        </Lane>
        <RequestLane title="Client request" json={body.clientRequest} shortcut />
        <RequestLane title="Upstream request" json={body.upstreamRequest} shortcut={body.clientRequest === null} />
      </div>
    </div>
    {body.rounds && <Rounds rounds={body.rounds} />}
    {body.tries && <Tries tries={body.tries} />}
  </>
);

const RequestLane = ({ title, json, shortcut }: { title: string; json: string | null; shortcut: boolean }) =>
  json === null ? (
    <Lane title={title} copy={null}>
      <span className={css.quiet}>not stored</span>
    </Lane>
  ) : (
    <JsonLane title={title} json={json} shortcut={shortcut} />
  );
