import type { KeyEntry, ModelEntry } from '@callsmith/data/snapshot';
import type { InboundAdapter } from '@callsmith/protocols';
import type { UpstreamEvent } from '@callsmith/turn';
import { Attempts } from '../attempts/attempts.ts';
import { Breaker } from '../attempts/breaker.ts';
import { type ObserverFactory, Observers } from '../observers/index.ts';
import type { RecordParts } from '../record/request-record.ts';
import { newResponseHead } from '../record/response-head.ts';
import { readTurn } from '../request/read-turn.ts';
import type { ResponseStore } from '../request/response-store.ts';
import type { FlowControl } from '../response/client-response.ts';
import { type DeliveryListener, DiscardedResponse } from '../response/discarded-response.ts';
import type { UpstreamClient } from '../upstream/upstream-client.ts';

/** A recorded or made-up request to send to a model. */
export interface ReplayRequest {
  /** Its body as JSON text. */
  readonly request: string;
  readonly adapter: InboundAdapter;
  readonly proxyRules: boolean;
  /** The model, with the settings to use for it. */
  readonly model: ModelEntry;
  /** The key of the original request, by which stored responses are found. */
  readonly key: Pick<KeyEntry, 'id'>;
}

/** Receives the events of a replay while it runs. One that throws is not called again. */
export interface ReplayWatcher extends DeliveryListener {
  /** An upstream request is sent: the first one, or a further attempt. */
  attempt(): void;
  /** An event of the model server, before calls are parsed. */
  raw(event: UpstreamEvent): void;
  /** Gets the control by which reading from the upstream can be paused. */
  flow(control: FlowControl): void;
}

/** The gateway's parts that a replay uses. */
export interface ReplayParts {
  readonly client: UpstreamClient;
  readonly responses: ResponseStore;
}

/**
 * Sends a request through the request path without a client: no API key is checked or charged, only `watcher` observes
 * it, its response is discarded and not stored, and nothing is learned from it. The outcome is in `record`. Rejects
 * with a `Fault` if the request is invalid.
 */
export async function replayRequest(
  { request, adapter, proxyRules, model, key }: ReplayRequest,
  record: RecordParts,
  {
    signal,
    client,
    responses,
    watcher,
  }: ReplayParts & { readonly signal: AbortSignal; readonly watcher?: ReplayWatcher | undefined },
): Promise<void> {
  const context = { adapter, addressed: { model: model.name }, key, store: responses };
  const turn = await readTurn(Buffer.from(request), context, record.request);
  record.request.model = model;
  const response = new DiscardedResponse(turn, record.response, watcher);
  watcher?.flow({ pause: () => response.source?.pause(), resume: () => response.source?.resume() });
  // A separate breaker and no learning: failures with other settings must not change how clients' requests are sent.
  await new Attempts(client, new Breaker(), { learn() {} }).run({
    record,
    log: record.attempts,
    timing: record.upstream,
    model,
    turn,
    adapter,
    head: newResponseHead(adapter, turn, {}),
    response,
    observers: new Observers(watcher ? [observedBy(watcher)] : [], record, () => {}),
    passthrough: undefined,
    messagePath: (message) => adapter.messagePath(turn, message),
    proxyRules,
    headers: {},
    signal,
  });
}

/** Makes an observer of a watcher. */
const observedBy =
  (watcher: ReplayWatcher): ObserverFactory =>
  () => ({
    attempt() {
      watcher.attempt();
      return { upstreamEvent: (event) => watcher.raw(event) };
    },
  });
