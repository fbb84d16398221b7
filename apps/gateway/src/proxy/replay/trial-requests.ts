import type { ConfigSnapshot, ModelEntry } from '@callsmith/data/snapshot';
import type { TrialAnswer } from '@callsmith/data/trials';
import type { TriesTurns, TurnToTry } from '@callsmith/jobs';
import { inboundAdapterOf } from '@callsmith/protocols';
import { Fault } from '@callsmith/turn';
import { callRecords, classesOf, outcomeOf } from '../observers/index.ts';
import { newRecord, type RequestRecord } from '../record/request-record.ts';
import type { ProxyService } from '../request/proxy.service.ts';
import { replayRequest } from './replay-request.ts';

/** How long one answer of a trial may take in all: a client would hang up sooner or later. */
const MAX_WAIT_MS = 300_000;

/** Sends the requests of a trial through the request path. */
export class TrialRequests implements TriesTurns {
  constructor(
    private readonly proxy: ProxyService,
    private readonly snapshot: ConfigSnapshot,
    private readonly maxWaitMs = MAX_WAIT_MS,
  ) {}

  async tryRequest({ modelId, strategy, dialect, request, route, keyId }: TurnToTry, signal: AbortSignal) {
    const record = newRecord('', route, 'other');
    const tooLate = new AbortController();
    const timer = setTimeout(() => tooLate.abort(tooLong(this.maxWaitMs)), this.maxWaitMs);
    try {
      const model = this.snapshot.models().find(({ id }) => id === modelId);
      if (model === undefined) throw new Fault('model_not_found', 'This model is no longer available.');
      await replayRequest(
        {
          request,
          adapter: inboundAdapterOf(route),
          proxyRules: route.startsWith('/proxy/'),
          model: withSettings(model, { strategy, dialect }),
          key: { id: keyId ?? '' },
        },
        record,
        {
          client: this.proxy.client,
          responses: this.proxy.responses,
          snapshot: this.snapshot,
          signal: AbortSignal.any([signal, tooLate.signal, this.proxy.lifecycle.stopSignal]),
        },
      );
    } catch (error) {
      // What is wrong with the request, or has no upstream, is how it came out; all else is ours.
      if (!(error instanceof Fault)) throw error;
      record.response.fault = error;
    } finally {
      clearTimeout(timer);
    }
    // The gateway's stop says nothing about the model.
    const { fault } = record.response;
    if (fault?.code === 'shutting_down') throw fault;
    return answerOf(record);
  }
}

/** A model as if an admin had set it so. */
const withSettings = (
  model: ModelEntry,
  { strategy, dialect }: Pick<TurnToTry, 'strategy' | 'dialect'>,
): ModelEntry => ({
  ...model,
  strategy: { value: strategy, source: 'declared' },
  dialect: { value: dialect, source: 'declared' },
});

const tooLong = (ms: number): Fault =>
  new Fault('upstream_timeout', `The response was not complete after ${Math.round(ms / 1000)} s.`);

function answerOf({ request, response }: RequestRecord): TrialAnswer {
  const { notes, usage, fault } = response;
  const calls = callRecords(response);
  return {
    outcome: outcomeOf(calls, notes, request.turn?.tools.size ?? 0, fault !== undefined),
    classes: classesOf(notes),
    calls: calls.length,
    inputTokens: usage?.inputTokens ?? null,
    outputTokens: usage?.outputTokens ?? null,
    totalMs: Math.round(performance.now() - request.startedAt),
    errorCode: fault?.code ?? null,
    errorMessage: fault?.message.slice(0, 2000) ?? null,
  };
}
