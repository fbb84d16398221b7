import type { ModelEntry } from '@callsmith/data/snapshot';
import { inboundAdapterOf } from '@callsmith/protocols';
import { Fault } from '@callsmith/turn';
import { newRecord, type RequestRecord } from '../record/request-record.ts';
import type { ProxyService } from '../request/proxy.service.ts';
import { type ReplayWatcher, replayRequest } from './replay-request.ts';

/** A request that no client is waiting for: of a trial, a probe or the playground. */
export interface ClientlessRequest {
  /** Its body as JSON text. */
  readonly request: string;
  /** The client API's route, e.g. `/v1/responses`. */
  readonly route: string;
  /** The model, with the settings to use for it. */
  readonly model: ModelEntry;
  /** The key of the original request, by which stored responses are found; empty: none. */
  readonly keyId: string;
  /** How long the response may take in all, in milliseconds. */
  readonly maxWaitMs: number;
}

/**
 * Sends a request through the request path without a client, and resolves with its record. An invalid request and a
 * missing upstream are outcomes like others (`response.fault`). Rejects with a `Fault` if the gateway is stopping, and
 * with errors that are no `Fault`.
 */
export async function sendWithoutClient(
  { request, route, model, keyId, maxWaitMs }: ClientlessRequest,
  { proxy, signal, watcher }: { proxy: ProxyService; signal: AbortSignal; watcher?: ReplayWatcher },
): Promise<RequestRecord> {
  const record = newRecord('', route, 'other');
  const tooLate = new AbortController();
  const timer = setTimeout(() => tooLate.abort(tooLong(maxWaitMs)), maxWaitMs);
  try {
    await replayRequest(
      { request, adapter: inboundAdapterOf(route), proxyRules: route.startsWith('/proxy/'), model, key: { id: keyId } },
      record,
      {
        client: proxy.client,
        responses: proxy.responses,
        watcher,
        signal: AbortSignal.any([signal, tooLate.signal, proxy.lifecycle.stopSignal]),
      },
    );
  } catch (error) {
    // Any other error is a bug of the gateway.
    if (!(error instanceof Fault)) throw error;
    record.response.refuse(error);
  } finally {
    clearTimeout(timer);
  }
  // A request that ended because the gateway stops says nothing about the model.
  const { fault } = record.response;
  if (fault?.code === 'shutting_down') throw fault;
  return record;
}

const tooLong = (ms: number): Fault =>
  new Fault('upstream_timeout', `The response was not complete after ${Math.round(ms / 1000)} s.`);
