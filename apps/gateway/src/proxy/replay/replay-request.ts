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

/** A request that was answered before, to be asked again. */
export interface ReplayRequest {
  /** Its body as JSON text. */
  readonly request: string;
  readonly adapter: InboundAdapter;
  readonly proxyRules: boolean;
  /** With the settings that it is to go through. */
  readonly model: ModelEntry;
  /** Whose request it was: stored responses are found by it. */
  readonly key: Pick<KeyEntry, 'id'>;
}

/** Receives the events of a replay while it runs; one that throws gets no more of them. */
export interface ReplayWatcher extends DeliveryListener {
  /** A request goes upstream, to answer or to answer again. */
  attempt(): void;
  /** What the model server says, before calls are understood. */
  raw(event: UpstreamEvent): void;
  /** By which reading can be held up. */
  flow(control: FlowControl): void;
}

/** What a replay is done with. */
export interface ReplayParts {
  readonly client: UpstreamClient;
  readonly responses: ResponseStore;
}

/**
 * Sends a request through the request path for nobody: no key is asked for or charged, no observer sees it, its answer
 * goes nowhere and is not stored, and nothing is learned from it. The outcome is in the record. Throws what is wrong with the request.
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
  const asked = { adapter, addressed: { model: model.name }, key, store: responses };
  const turn = await readTurn(Buffer.from(request), asked, record.request);
  record.request.model = model;
  const response = new DiscardedResponse(turn, record.response, watcher);
  watcher?.flow({ pause: () => response.source?.pause(), resume: () => response.source?.resume() });
  // With a breaker of its own, and without learning: what fails by another strategy must not change how the requests of
  // clients are sent.
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

const observedBy =
  (watcher: ReplayWatcher): ObserverFactory =>
  () => ({
    attempt() {
      watcher.attempt();
      return { upstreamEvent: (event) => watcher.raw(event) };
    },
  });
