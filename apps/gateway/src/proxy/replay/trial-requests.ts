import type { ConfigSnapshot, ModelEntry } from '@callsmith/data/snapshot';
import type { TrialAnswer } from '@callsmith/data/trials';
import type { TriesTurns, TurnToTry } from '@callsmith/jobs';
import { inboundAdapterOf } from '@callsmith/protocols';
import { Fault } from '@callsmith/turn';
import { callRecords, classesOf, outcomeOf } from '../observers/index.ts';
import type { ProxyService } from '../proxy.service.ts';
import { RequestRecord } from '../record/request-record.ts';

/** How long one answer of a trial may take in all: a client would hang up sooner or later. */
const PATIENCE_MS = 300_000;

/** Sends the requests of a trial through the request path. */
export class TrialRequests implements TriesTurns {
  constructor(
    private readonly proxy: ProxyService,
    private readonly snapshot: Pick<ConfigSnapshot, 'models'>,
    private readonly patienceMs = PATIENCE_MS,
  ) {}

  async tryRequest({ modelId, strategy, dialect, request, route, keyId }: TurnToTry, signal: AbortSignal) {
    const exchange = new RequestRecord('', route, 'other');
    const patience = new AbortController();
    const timer = setTimeout(() => patience.abort(tooLong(this.patienceMs)), this.patienceMs);
    try {
      const model = this.snapshot.models().find(({ id }) => id === modelId);
      if (model === undefined) throw new Fault('model_not_found', 'This model is no longer available.');
      await this.proxy.replay(
        exchange,
        {
          request,
          front: inboundAdapterOf(route),
          proxyRules: route.startsWith('/proxy/'),
          model: through(model, { strategy, dialect }),
          key: { id: keyId ?? '' },
        },
        AbortSignal.any([signal, patience.signal]),
      );
    } catch (error) {
      // What is wrong with the request, or has no upstream, is how it came out; all else is ours.
      if (!(error instanceof Fault)) throw error;
      exchange.fault = error;
    } finally {
      clearTimeout(timer);
    }
    // The gateway's stop says nothing about the model.
    if (exchange.fault?.code === 'shutting_down') throw exchange.fault;
    return answerOf(exchange);
  }
}

/** A model as if an admin had set it so. */
const through = (model: ModelEntry, { strategy, dialect }: Pick<TurnToTry, 'strategy' | 'dialect'>): ModelEntry => ({
  ...model,
  strategy: { value: strategy, source: 'declared' },
  dialect: { value: dialect, source: 'declared' },
});

const tooLong = (ms: number): Fault =>
  new Fault('upstream_timeout', `The response was not complete after ${Math.round(ms / 1000)} s.`);

function answerOf({ summary, turn, fault, startedAt }: RequestRecord): TrialAnswer {
  const calls = callRecords(summary);
  return {
    outcome: outcomeOf(calls, summary.notes, turn?.tools.size ?? 0, fault !== undefined),
    classes: classesOf(summary.notes),
    calls: calls.length,
    inputTokens: summary.usage?.inputTokens ?? null,
    outputTokens: summary.usage?.outputTokens ?? null,
    totalMs: Math.round(performance.now() - startedAt),
    errorCode: fault?.code ?? null,
    errorMessage: fault?.message.slice(0, 2000) ?? null,
  };
}
