import type { ModelEntry } from '@callsmith/data/snapshot';
import { inboundAdapterOf } from '@callsmith/protocols';
import { Fault } from '@callsmith/turn';
import { newRecord, type RequestRecord } from '../record/request-record.ts';
import type { ProxyService } from '../request/proxy.service.ts';
import { type ReplayWatcher, replayRequest } from './replay-request.ts';

/** A request that nobody waits for. */
export interface ClientlessRequest {
  /** Its body as JSON text. */
  readonly request: string;
  /** The route that it came by, e.g. `/v1/responses`. */
  readonly route: string;
  /** With the settings that it is to go through. */
  readonly model: ModelEntry;
  /** Whose request it was: stored responses are found by it. Empty: nobody's. */
  readonly keyId: string;
  /** How long its answer may take in all. */
  readonly maxWaitMs: number;
}

/**
 * Sends a request through the request path for nobody and answers with its record. What is wrong with the request, or has
 * no upstream, is how it came out (`response.fault`). Throws a `Fault` if the process is stopping.
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
    // All that is no fault is ours.
    if (!(error instanceof Fault)) throw error;
    record.response.refuse(error);
  } finally {
    clearTimeout(timer);
  }
  // The gateway's stop says nothing about the model.
  const { fault } = record.response;
  if (fault?.code === 'shutting_down') throw fault;
  return record;
}

const tooLong = (ms: number): Fault =>
  new Fault('upstream_timeout', `The response was not complete after ${Math.round(ms / 1000)} s.`);
