import type { TrialAnswer } from '@callsmith/contracts';
import type { ConfigSnapshot } from '@callsmith/data/snapshot';
import type { TrialRequest, TrialRunner } from '@callsmith/jobs';
import { Fault } from '@callsmith/turn';
import { callRecords, classesOf, outcomeOf } from '../observers/index.ts';
import { newRecord, type RequestRecord } from '../record/request-record.ts';
import type { ProxyService } from '../request/proxy.service.ts';
import { sendWithoutClient } from './send-without-client.ts';
import { withSettings } from './with-settings.ts';

/** How long one response of a trial may take in all, in milliseconds; clients do not wait longer either. */
const MAX_WAIT_MS = 300_000;

/** Sends the requests of a trial through the request path. */
export class TrialRequests implements TrialRunner {
  constructor(
    private readonly proxy: ProxyService,
    private readonly snapshot: ConfigSnapshot,
    private readonly maxWaitMs = MAX_WAIT_MS,
  ) {}

  async tryRequest({ modelId, strategy, dialect, request, route, keyId }: TrialRequest, signal: AbortSignal) {
    const model = this.snapshot.models().find(({ id }) => id === modelId);
    if (model === undefined) return answerOf(goneModel(route));
    const { proxy, maxWaitMs } = this;
    const set = withSettings(model, { strategy, dialect });
    const clientless = { request, route, model: set, keyId: keyId ?? '', maxWaitMs };
    return answerOf(await sendWithoutClient(clientless, { proxy, signal }));
  }
}

function goneModel(route: string): RequestRecord {
  const record = newRecord('', route, 'other');
  record.response.refuse(new Fault('model_not_found', 'This model is no longer available.'));
  return record;
}

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
