import type { ProbeArm, SupportFound } from '@callsmith/data/probes';
import type { ConfigSnapshot, ModelEntry } from '@callsmith/data/snapshot';
import type { ProbeSize } from '@callsmith/evaluate';
import type { MeasuredAnswer, ProbeClient, ProbedModel } from '@callsmith/jobs';
import { Fault, type JsonObject } from '@callsmith/turn';
import { callRecords, outcomeOf } from '../observers/index.ts';
import type { RequestRecord } from '../record/request-record.ts';
import type { ProxyService } from '../request/proxy.service.ts';
import { probeArms } from './probe-arms.ts';
import { sendWithoutClient } from './send-without-client.ts';
import { findSupport } from './server-support.ts';

const ROUTE = '/v1/chat/completions';
/** How long one response of a probe may take in all, in milliseconds. */
const MAX_WAIT_MS = 120_000;

/** Sends the requests of a probe through the request path. */
export class ProbeRequests implements ProbeClient {
  constructor(
    private readonly proxy: ProxyService,
    private readonly snapshot: ConfigSnapshot,
  ) {}

  arms(of: ProbedModel, size: ProbeSize) {
    return probeArms(this.find(of), size);
  }

  async ask(of: ProbedModel, arm: ProbeArm, request: JsonObject, signal: AbortSignal): Promise<MeasuredAnswer> {
    const model = this.find(of);
    const { proxy } = this;
    const body = JSON.stringify({ ...request, model: model.name });
    const clientless = { request: body, route: ROUTE, model: inArm(model, arm), keyId: '', maxWaitMs: MAX_WAIT_MS };
    return answerOf(await sendWithoutClient(clientless, { proxy, signal }));
  }

  async support(of: ProbedModel, signal: AbortSignal): Promise<readonly SupportFound[]> {
    const [route] = this.find(of).routes;
    const { client, lifecycle } = this.proxy;
    return route === undefined ? [] : findSupport(client, route, AbortSignal.any([signal, lifecycle.stopSignal]));
  }

  /** The model with the probed route only. Throws `model_not_found` if either no longer exists. */
  private find({ modelId, upstreamId }: ProbedModel): ModelEntry {
    const model = this.snapshot.models().find(({ id }) => id === modelId);
    const routes = model?.routes.filter(({ upstream }) => upstream.id === upstreamId) ?? [];
    if (model === undefined || routes.length === 0)
      throw new Fault('model_not_found', 'The model is no longer available on this upstream.');
    return { ...model, routes };
  }
}

/** A model with an arm's settings, as if an admin had declared them: no failure changes the strategy. */
const inArm = (model: ModelEntry, { strategy, dialect, examples }: ProbeArm): ModelEntry => ({
  ...model,
  choice: undefined,
  experiment: undefined,
  strategy: { value: strategy, source: 'declared' },
  ...(dialect !== null && { dialect: { value: dialect, source: 'declared' } }),
  ...(examples !== undefined && { exampleCalls: { value: examples, source: 'declared' } }),
});

function answerOf({ request, attempts, response }: RequestRecord): MeasuredAnswer {
  const { notes, usage, fault, firstTokenAt } = response;
  const records = callRecords(response);
  const outcome = outcomeOf(records, notes, request.turn?.tools.size ?? 0, fault !== undefined);
  const valid = outcome === 'clean' || outcome === 'repaired';
  const [choice] = response.answer.whole().choices;
  // A fault of the model, such as a missing required call, is a result of the probe and no refusal.
  const refused = fault !== undefined && fault.origin !== 'model';
  return {
    text: choice?.text ?? '',
    calls: (choice?.calls ?? []).map((call) => ({ name: call.name, arguments: call.arguments, valid })),
    clean: (outcome === 'clean' || outcome === 'none') && attempts.count === 1 && !notes.some((note) => note.class),
    refusal: refused ? `${fault.code}: ${fault.message}`.slice(0, 300) : null,
    inputTokens: usage?.inputTokens ?? null,
    outputTokens: usage?.outputTokens ?? null,
    firstTokenMs: firstTokenAt === undefined ? null : Math.round(firstTokenAt - request.startedAt),
  };
}
