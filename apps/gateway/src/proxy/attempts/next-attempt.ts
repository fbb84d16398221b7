import type { Lesson, ModelEntry, Route } from '@callsmith/data/snapshot';
import { type OutboundName, occursInRequest, refusedParameter } from '@callsmith/protocols';
import { choose } from '@callsmith/toolcall';
import type { BaseStrategy, Turn } from '@callsmith/turn';
import { conversationKey } from '../record/conversation-key.ts';
import type { AttemptFailure } from '../upstream/attempt-failure.ts';
import type { CompletionJob } from '../upstream/completion-job.ts';
import { constrainsNative } from '../upstream/constrain.ts';
import { constrainedText, shouldDelegateCalls } from '../upstream/prepare-request.ts';
import type { Breaker } from './breaker.ts';
import { ignoredChoice, ignoresChoice } from './ignored-choice.ts';
import { choosesApi, isApiMissing, nameOfApi, otherApi, outboundApi, pathOfApi } from './outbound-api.ts';
import { learnedForms, nextForm, type RequestForm } from './retreat.ts';
import { firstRoute, hashFraction, otherRoute, tryAgain, type UpstreamAttempt } from './retry.ts';

/** A lesson that would explain why an earlier attempt failed. */
interface PendingLesson {
  readonly route: Route;
  readonly lesson: Pick<Lesson, 'what' | 'value' | 'reason'>;
}

/** Where an attempt goes, and in which form. */
export interface NextAttempt extends UpstreamAttempt, RequestForm {
  readonly api: OutboundName;
  /** The server lacks the API that was tried first. */
  readonly apiMissing?: true;
  /** Parameters that the server refused in this request, in addition to the route's known ones. */
  readonly refused: readonly string[];
  /** Lessons that are learned if this attempt gives output: only that confirms why the earlier ones failed (D-37). */
  readonly pendingLessons: readonly PendingLesson[];
}

/** The first attempt of a request. Throws `no_upstream`. */
export function firstAttempt(job: CompletionJob, breaker: Breaker): NextAttempt {
  const { record, model, turn } = job;
  const point = (): number =>
    hashFraction(conversationKey(record.request.key?.id ?? '', turn, record.request.conversation));
  return firstAttemptAt(firstRoute(model, breaker, point), job);
}

/** The first attempt at a route, with the retreats that earlier requests learned. */
export function firstAttemptAt(
  route: Route,
  job: Pick<CompletionJob, 'adapter' | 'model' | 'turn' | 'delegate'> & Partial<Pick<CompletionJob, 'proxyRules'>>,
): NextAttempt {
  const { adapter, model, turn } = job;
  const learned = learnedForms(route, turn);
  return {
    route,
    api: outboundApi(adapter, model, route),
    strategyUsed: shouldDelegateCalls(job) ? 'prompt' : strategyFor(model, route, turn, learned.includes('prompt')),
    retreats: learned.includes('prompt') ? learned.filter((form) => form !== 'prompt') : learned,
    refused: [],
    pendingLessons: [],
  };
}

/** The attempt to make after a failure; undefined: none. `tries`: the number of attempts by upstream id. */
export function nextAttempt(
  job: CompletionJob,
  breaker: Breaker,
  {
    last,
    failure,
    tries,
  }: { readonly last: NextAttempt; readonly failure: AttemptFailure; readonly tries: ReadonlyMap<string, number> },
): NextAttempt | undefined {
  const { model } = job;
  if (choosesApi(model, last.route) && last.apiMissing === undefined && isApiMissing(failure))
    return withOtherApi(last, failure);
  const retreat = inOtherForm(job, last, failure);
  if (retreat) return retreat;
  if (failure.engine !== undefined) {
    // Another server may support what this one does not. A context that is too short is the same on all of them.
    const other = failure.engine.kind === 'context' ? undefined : otherRoute(model, breaker, tries);
    return other && firstAttemptAt(other, job);
  }
  const without = withoutRefused(last, failure);
  if (without) return without;
  const again = tryAgain(model, breaker, { last, failure, tries });
  if (again === undefined) return undefined;
  return again.route === last.route
    ? { ...last, fresh: false, afterMs: 0, ...again }
    : { ...firstAttemptAt(again.route, job), ...again };
}

/** The same request in the other API that servers commonly have. */
function withOtherApi(last: NextAttempt, { status, fault }: AttemptFailure): NextAttempt {
  const api = otherApi(last.api);
  const reason = `${pathOfApi(last.api)}: ${status === undefined ? fault.message : `HTTP ${status}`}`;
  const lesson = { what: 'api', value: nameOfApi(api), reason } as const;
  return { ...last, api, apiMissing: true, pendingLessons: [...last.pendingLessons, { route: last.route, lesson }] };
}

/** The same request with the next retreat, if the engine cannot process it as it is. */
function inOtherForm(job: CompletionJob, last: NextAttempt, failure: AttemptFailure): NextAttempt | undefined {
  const { model, turn, response } = job;
  const { engine, sent } = failure;
  const kind = engine?.kind ?? (ignoresChoice(job, last, failure) ? 'choice-unheeded' : undefined);
  if (kind === undefined || sent === undefined) return undefined;
  const next = nextForm(kind, last, { model, turn, sent });
  if (next === undefined) return undefined;
  const { retreat, lesson, ...form } = next;
  const reason = engine?.message ?? ignoredChoice;
  response.note({ stage: 'upstream', action: 'retreated', detail: `${retreat}: ${reason}` });
  const certain = engine === undefined || !occursInRequest(engine.phrases, sent.body);
  // Lessons about retreats of native requests do not matter once the tools are in the prompt.
  const before =
    retreat === 'prompt' ? last.pendingLessons.filter(({ lesson: { what } }) => !isForm(what)) : last.pendingLessons;
  const pendingLessons = lesson && certain ? [...before, { route: last.route, lesson: { ...lesson, reason } }] : before;
  return { ...last, ...form, fresh: false, afterMs: 0, pendingLessons };
}

const isForm = (what: string): boolean => what.startsWith('retreat:');

/** The same request without the parameter that the server refused. */
function withoutRefused(last: NextAttempt, { fault, sent }: AttemptFailure): NextAttempt | undefined {
  const parameter = refusedParameter(fault);
  if (parameter === undefined || !sent?.parameters.includes(parameter.name) || last.refused.length >= mostRefused)
    return undefined;
  const lesson = { what: `parameter:${parameter.name}`, value: false, reason: parameter.message } as const;
  const certain = !occursInRequest(parameter.phrases, sent.body);
  return {
    ...last,
    refused: [...last.refused, parameter.name],
    pendingLessons: certain ? [...last.pendingLessons, { route: last.route, lesson }] : last.pendingLessons,
  };
}

/** How many refused parameters are left out of one request at most. */
const mostRefused = 4;

/** The strategy that is used at a route. */
function strategyFor(model: ModelEntry, route: Route, turn: Turn, prompts: boolean): BaseStrategy {
  const { nativeTools } = route;
  const plan = { route, strategyUsed: 'prompt', api: 'openai-chat', refused: [], retreats: [] } as const;
  return choose({
    configured: model.strategy.value,
    turn,
    ...(prompts ? { takesTools: false } : nativeTools !== undefined && { takesTools: nativeTools }),
    holds: {
      native: () => constrainsNative(route, model),
      text: () => constrainedText(turn, model, plan) !== undefined,
    },
  });
}
