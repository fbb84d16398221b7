import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ConfigSnapshot, Lesson, ModelEntry, Route } from '@callsmith/data/snapshot';
import { type OutboundName, occursInRequest, outboundAdapters, refusedParameter } from '@callsmith/protocols';
import { answerMismatch, choose } from '@callsmith/toolcall';
import { type BaseStrategy, Fault, type Finding, type Turn } from '@callsmith/turn';
import { keepsBodies } from '../observers/index.ts';
import { AbortSource } from '../record/abort-source.ts';
import { conversationKey } from '../record/conversation-key.ts';
import { DecidingResponse } from '../response/deciding-response.ts';
import { runAttempt } from '../upstream/attempt.ts';
import type { AttemptFailure, UnusableReply } from '../upstream/attempt-failure.ts';
import type { CompletionJob } from '../upstream/completion-job.ts';
import { constrainsNative } from '../upstream/constrain.ts';
import { contextFault, mayExceedContext } from '../upstream/context-fit.ts';
import { countPrompt, countTokens, estimateTokens } from '../upstream/count-tokens.ts';
import {
  constrainedText,
  onlyDecidesCalls,
  type PreparedRequest,
  prepareRequest,
} from '../upstream/prepare-request.ts';
import type { UpstreamClient } from '../upstream/upstream-client.ts';
import type { Breaker } from './breaker.ts';
import { ignoredBy, violationOf } from './constraint-violation.ts';
import { type CorrectedAnswer, Correction } from './correction.ts';
import { Delegation } from './delegation.ts';
import { fallbackJob } from './fallback.ts';
import { MarkedCallCounter } from './marked-call-counter.ts';
import { choosesApi, isApiMissing, nameOfApi, otherApi, outboundApi, pathOfApi } from './outbound-api.ts';
import { PromptCutDetector } from './prompt-cut-detector.ts';
import { learnedForms, nextForm, type RequestForm } from './retreat.ts';
import { firstRoute, hashFraction, otherRoute, tryAgain, tryUntilAnswered, type UpstreamAttempt } from './retry.ts';
import { withChosenStrategy } from './with-chosen-strategy.ts';

const longRequest = 1024 * 1024;

/** What an attempt before failed at. */
interface PendingLesson {
  readonly route: Route;
  readonly lesson: Pick<Lesson, 'what' | 'value' | 'reason'>;
}

/** What the next attempt is. */
interface NextAttempt extends UpstreamAttempt, RequestForm {
  readonly api: OutboundName;
  /** The server has not the API that was asked for first. */
  readonly apiMissing?: true;
  /** Parameters refused in this request, beside those the snapshot knows. */
  readonly refused: readonly string[];
  /** What is learned of earlier attempts, if this one brings an output: only then was it what they failed at. */
  readonly pendingLessons: readonly PendingLesson[];
}

/** What the attempts of one request have come to so far. */
interface Progress {
  /** The request that was sent last. */
  prepared?: PreparedRequest;
  last?: NextAttempt;
  /** Why a correction could not reach its upstream. */
  unreached?: AttemptFailure | undefined;
}

/**
 * One turn may take several upstream requests: this is the only place that knows of it. All attempts feed the one
 * response that faces the client, and the next one is made only while nothing has gone out (D-23).
 */
export class Attempts {
  private readonly markedCalls = new MarkedCallCounter();
  private readonly cutPrompts = new PromptCutDetector();

  constructor(
    private readonly client: UpstreamClient,
    private readonly breaker: Breaker,
    private readonly snapshot: ConfigSnapshot,
  ) {}

  /** Asks until there is an answer or nothing left to try. The response has ended when this resolves. */
  async run(asked: CompletionJob): Promise<void> {
    const job = withChosenStrategy(asked);
    const { response, signal } = job;
    const first = this.first(job);
    if ('fault' in first) {
      const other = fallbackJob(job, first);
      if (other === undefined) throw first.fault;
      return this.run(other);
    }
    const progress: Progress = {};
    const failure = await tryUntilAnswered<NextAttempt>({
      first,
      log: job.log,
      breaker: this.breaker,
      signal,
      committed: () => response.committed,
      attempt: (next) => this.tryOnce(job, next, progress),
      unreached: () => progress.unreached,
      after: (last, failure, tries) => this.after(job, last, failure, tries),
    });
    if (signal.aborted) {
      // A client that hung up gets nothing; one that is stopped for another reason gets that reason.
      if (signal.reason instanceof Fault) response.end(signal.reason);
      return;
    }
    const other = failure && fallbackJob(job, failure);
    if (other) return this.run(other);
    await this.conclude(job, progress, failure);
  }

  /** Prepares and sends one request, and learns from what comes back. */
  private async tryOnce(
    job: CompletionJob,
    next: NextAttempt,
    progress: Progress,
  ): Promise<AttemptFailure | undefined> {
    const { model, log, response } = job;
    progress.last = next;
    let prepared: PreparedRequest;
    try {
      log.model = model;
      log.route = next.route;
      const steps = prepareRequest(job, next);
      const step = steps.next();
      prepared = step.done ? step.value : await inTurns(steps);
      progress.prepared = prepared;
      logPrepared(job, prepared);
    } catch (error) {
      if (error instanceof Fault) return { fault: error, kind: 'answer' };
      throw error;
    }
    // Writing a long request takes its time, and so does sending it.
    if (prepared.json.length > longRequest) await nextTurn();
    if (mayExceedContext(model, next.route, prepared)) {
      const fits = await this.fitted(job, next, prepared);
      if ('fault' in fits) return fits;
      progress.prepared = fits;
      prepared = fits;
    }
    const lengthBefore = response.summary.textLength;
    const failed = await this.attempt(job, next, prepared, (corrected) => {
      progress.prepared = corrected.prepared;
      progress.unreached = corrected.unreached;
    });
    // D-37: only a first output shows that what was left out is what the attempts before failed at.
    const { textLength, calls } = response.summary;
    if (textLength > lengthBefore || calls.length > 0)
      for (const { route, lesson } of next.pendingLessons) this.learn(model, route, lesson);
    const { constrained } = progress.prepared;
    if (constrained)
      this.learnIgnored(job, next, progress.prepared, violationOf(constrained, response.summary, failed));
    return failed;
  }

  /** Ends the response, and does what is due before and after that. */
  private async conclude(
    job: CompletionJob,
    { prepared, last }: Progress,
    failure: AttemptFailure | undefined,
  ): Promise<void> {
    const { response } = job;
    if (failure) {
      if (last && response.committed) this.learnUnheeded(job, last, failure);
      response.end(failure.fault);
      return;
    }
    const passed = prepared?.passthrough !== undefined;
    this.learnForm(job);
    if (prepared && !passed) await this.complete(job, prepared);
    if (passed && isAskedToCount(job)) await countPassed(job);
    response.end();
    if (passed) await estimate(job);
    if (prepared) await this.learnCut(job, prepared);
  }

  /**
   * A request that fits its model's context as far as that is known, or why none does. The tool prompt is bounded (E-4):
   * where the prompt does not fit with it, the tools are described in short before it is refused.
   */
  private async fitted(
    job: CompletionJob,
    next: NextAttempt,
    prepared: PreparedRequest,
  ): Promise<PreparedRequest | AttemptFailure> {
    const faultOf = (request: PreparedRequest): Promise<Fault | undefined> =>
      contextFault(this.client, job.model, next.route, request, job.signal);
    const fault = await faultOf(prepared);
    if (fault === undefined) return prepared;
    const short =
      next.strategyUsed === 'prompt' ? await inTurns(prepareRequest(job, { ...next, shortTools: true })) : prepared;
    const still = short.json.length < prepared.json.length ? await faultOf(short) : fault;
    if (still) return { fault: still, kind: 'answer' };
    logPrepared(job, { ...short, notes: [] });
    return short;
  }

  /** The tokens of a turn's prompt as it would be sent. Throws what is wrong with the turn. */
  async count(given: Pick<CompletionJob, 'adapter' | 'model' | 'turn' | 'messagePath'>): Promise<number> {
    const model = given.model.choice?.model ?? given.model;
    const asked = { ...given, model };
    // Where it cannot be asked it is estimated, so that no upstream's state matters.
    const route = model.routes[0] ?? firstRoute(model, this.breaker, () => 0);
    const prepared = await inTurns(
      prepareRequest(
        { ...asked, proxyRules: false, passthrough: undefined },
        { ...firstAttemptAt(route, asked), api: 'openai-chat' },
      ),
    );
    return countPrompt(
      this.client,
      { upstream: route.upstream, body: prepared.body, turn: prepared.turn },
      new AbortSource(),
    );
  }

  /** One attempt, and what is asked again of its answer; `deliver` is told how that ended. */
  private async attempt(
    job: CompletionJob,
    next: NextAttempt,
    prepared: PreparedRequest,
    deliver: (corrected: CorrectedAnswer) => void,
  ): Promise<AttemptFailure | undefined> {
    const { model } = job;
    const correctable = model.maxCorrections.value > 0 && prepared.correctable && prepared.passthrough === undefined;
    const startedAt = performance.now();
    if (job.delegate && prepared.decides) return this.delegate(job, job.delegate, next, prepared);
    const replied = await runAttempt(this.client, job, { prepared, fresh: next.fresh === true, correctable });
    const result = correctable ? rejectedAmid(replied, job) : replied;
    if (result === undefined || 'fault' in result) return result;
    this.learnIgnored(job, next, prepared, ignoredBy(prepared.constrained, result.answer.unusable));
    if (result.answer.unusable.kind === 'no-call' && this.mayHeed(job, next, prepared)) return result.release();
    const tookMs = performance.now() - startedAt;
    const corrected = await new Correction(this.client, job, { reply: result, prepared, tookMs }).run();
    deliver(corrected);
    return corrected.failure;
  }

  /** One attempt whose model decides, and what another one writes of that. */
  private async delegate(
    job: CompletionJob,
    delegate: ModelEntry,
    next: NextAttempt,
    prepared: PreparedRequest,
  ): Promise<AttemptFailure | undefined> {
    const response = new DecidingResponse(job.response, job.turn);
    const fresh = next.fresh === true;
    const failed = await runAttempt(this.client, { ...job, response }, { prepared, fresh, correctable: false });
    const { decision } = response;
    if ((failed && 'fault' in failed) || decision === undefined) return failed as AttemptFailure | undefined;
    return new Delegation((one) => this.run(one), job, response).run(delegate, decision, prepared.json);
  }

  /** What held the engine was taken and not heeded; `violation` says how that was seen. */
  private learnIgnored(
    { model }: CompletionJob,
    { route }: NextAttempt,
    { constrained }: PreparedRequest,
    violation: string | undefined,
  ): void {
    if (constrained && violation !== undefined)
      this.learn(model, route, { what: `constraint:${constrained.field}`, value: false, reason: violation });
  }

  /** Another form of the request might be heeded, and may still be sent. */
  private mayHeed({ model, turn, response }: CompletionJob, next: NextAttempt, prepared: PreparedRequest): boolean {
    if (response.committed || next.strategyUsed !== 'native') return false;
    return (
      nextForm('choice-unheeded', next, {
        model,
        turn,
        sent: { turn: prepared.turn, constrained: prepared.constrained !== undefined },
      }) !== undefined
    );
  }

  /** Where the first attempt goes, or why it goes nowhere. */
  private first(job: CompletionJob): NextAttempt | (AttemptFailure & { readonly kind: 'answer' }) {
    const { record, model, turn } = job;
    const point = (): number =>
      hashFraction(conversationKey(record.request.key?.id ?? '', turn, record.request.conversation));
    try {
      return firstAttemptAt(firstRoute(model, this.breaker, point), job);
    } catch (error) {
      if (error instanceof Fault) return { fault: error, kind: 'answer' };
      throw error;
    }
  }

  /** What to try after a failure; undefined: nothing. */
  private after(
    job: CompletionJob,
    last: NextAttempt,
    failure: AttemptFailure,
    tries: ReadonlyMap<string, number>,
  ): NextAttempt | undefined {
    const { model } = job;
    const { route, refused } = last;
    if (choosesApi(model, route) && last.apiMissing === undefined && isApiMissing(failure))
      return this.byOtherApi(last, failure);
    const retreat = this.retreat(job, last, failure);
    if (retreat) return retreat;
    const { engine, sent } = failure;
    if (engine !== undefined) {
      // Another server may do what this one cannot; a context that is too short is the model's own.
      const other = engine.kind === 'context' ? undefined : otherRoute(model, this.breaker, tries);
      return other && firstAttemptAt(other, job);
    }
    const parameter = refusedParameter(failure.fault);
    if (parameter !== undefined && sent?.parameters.includes(parameter.name) && refused.length < 4) {
      const lesson = { what: `parameter:${parameter.name}`, value: false, reason: parameter.message } as const;
      const certain = !occursInRequest(parameter.phrases, sent.body);
      return {
        ...last,
        refused: [...refused, parameter.name],
        pendingLessons: certain ? [...last.pendingLessons, { route, lesson }] : last.pendingLessons,
      };
    }
    const again = tryAgain(model, this.breaker, { last, failure, tries });
    if (again === undefined) return undefined;
    return again.route === route
      ? { ...last, fresh: false, afterMs: 0, ...again }
      : { ...firstAttemptAt(again.route, job), ...again };
  }

  /** The same request by the other API that servers have. */
  private byOtherApi(last: NextAttempt, { status, fault }: AttemptFailure): NextAttempt {
    const api = otherApi(last.api);
    const reason = `${pathOfApi(last.api)}: ${status === undefined ? fault.message : `HTTP ${status}`}`;
    const lesson = { what: 'api', value: nameOfApi(api), reason } as const;
    return { ...last, api, apiMissing: true, pendingLessons: [...last.pendingLessons, { route: last.route, lesson }] };
  }

  /** The same request in another form, where the engine itself cannot do it in this one. */
  private retreat(job: CompletionJob, last: NextAttempt, failure: AttemptFailure): NextAttempt | undefined {
    const { model, turn, response } = job;
    const { engine, sent, fault } = failure;
    const silent = fault.code === 'tool_call_required' && isUnheeded(job, last);
    const kind = engine?.kind ?? (silent ? 'choice-unheeded' : undefined);
    if (kind === undefined || sent === undefined) return undefined;
    const next = nextForm(kind, last, { model, turn, sent });
    if (next === undefined) return undefined;
    const { retreat, lesson, ...form } = next;
    const reason = engine?.message ?? unheeded;
    response.note({ stage: 'upstream', action: 'retreated', detail: `${retreat}: ${reason}` });
    const certain = engine === undefined || !occursInRequest(engine.phrases, sent.body);
    // Of what is sent by prompt, the forms of native requests are no part.
    const before =
      retreat === 'prompt' ? last.pendingLessons.filter(({ lesson: { what } }) => !isForm(what)) : last.pendingLessons;
    const pendingLessons =
      lesson && certain ? [...before, { route: last.route, lesson: { ...lesson, reason } }] : before;
    return { ...last, ...form, fresh: false, afterMs: 0, pendingLessons };
  }

  /** Half an answer is out, so that nothing more is tried; but what it did not heed is known for the next request. */
  private learnUnheeded(job: CompletionJob, last: NextAttempt, failure: AttemptFailure): void {
    const { model, turn } = job;
    const { fault, sent } = failure;
    if (fault.code !== 'tool_call_required' || sent === undefined || !isUnheeded(job, last)) return;
    const lesson = nextForm('choice-unheeded', last, { model, turn, sent })?.lesson;
    if (lesson) this.learn(model, last.route, { ...lesson, reason: unheeded });
  }

  /** Before a good answer ends: counts what the upstream did not count, learns, hands over what is to be stored. */
  private async complete(job: CompletionJob, { turn, target, toolPromptTokens }: PreparedRequest): Promise<void> {
    const { record, response, model, signal, store } = job;
    const { route } = record.attempts;
    if (route === undefined) return;
    const { summary } = response;
    if (summary.usage === undefined) {
      const { body } = outboundAdapters['openai-chat'].request(turn, target);
      const uncounted = { upstream: route.upstream, body, turn, folded: summary.answer.whole() };
      response.push({ type: 'usage', choice: 0, ...(await countTokens(this.client, uncounted, signal)) });
    }
    if (toolPromptTokens !== undefined) this.checkFormat(job);
    if (model.reasoningPrefilled === undefined && summary.notes.some(({ detail }) => detail === 'lone-reasoning-close'))
      this.learn(model, route, {
        what: 'reasoning-prefilled',
        value: true,
        reason: 'A closing tag came without its opening one.',
      });
    if (turn.toolChoice === 'none' && summary.notes.some(isForbiddenCall))
      this.learn(model, route, {
        what: 'retreat:no-tools',
        value: true,
        reason: 'The response ignored tool_choice "none".',
      });
    await store?.(summary.answer.whole());
  }

  /** A model that was seen to call natively, or with markers, calls so. */
  private learnForm({ model, log: { route }, response: { summary } }: CompletionJob): void {
    if (route && this.markedCalls.add(model, route, summary))
      this.learn(model, route, {
        what: 'marked-calls',
        value: true,
        reason: 'Three of its calls came natively or between markers.',
      });
  }

  /** A server that read less than it was sent says so by its count only. */
  private async learnCut(
    { model, log: { route }, response }: CompletionJob,
    { turn, json }: PreparedRequest,
  ): Promise<void> {
    const { usage } = response.summary;
    if (route === undefined || usage === undefined) return;
    const lesson = await this.cutPrompts.observe(model, route, { turn, json, usage });
    if (lesson === undefined) return;
    this.learn(model, route, lesson);
    if (lesson.value)
      response.note({ stage: 'upstream', detail: `the prompt seems to have been cut: ${lesson.reason}` });
  }

  /** With the tools in its prompt the model was told of the answer's format and nothing enforced it. */
  private checkFormat({ turn, response }: CompletionJob): void {
    if (turn.sampling.response_format === undefined) return;
    for (const { text, calls } of response.summary.answer.whole().choices) {
      const note = calls.length === 0 && text !== '' ? answerMismatch(turn, text) : undefined;
      if (note) response.note(note);
    }
  }

  private learn(
    { id: modelId }: ModelEntry,
    { upstream: { id: upstreamId, engineVersion } }: Route,
    lesson: Pick<Lesson, 'what' | 'value' | 'reason'>,
  ): void {
    this.snapshot.learn({ modelId, upstreamId, engineVersion, ...lesson });
  }
}

/** The engine's own parser failed behind the beginning of an answer, and no call is out: an answer that may be asked for again. */
function rejectedAmid<Result extends AttemptFailure | UnusableReply | undefined>(
  replied: Result,
  { response: { committed, summary } }: CompletionJob,
): Result | UnusableReply {
  if (!replied || !('fault' in replied) || replied.engine?.kind !== 'parser') return replied;
  if (!committed || summary.calls.length > 0) return replied;
  const release = (): AttemptFailure => replied;
  return { answer: { unusable: { kind: 'rejected' }, usage: summary.usage, release }, release };
}

/** What a request comes to that is prepared in steps; other requests are served in between. */
async function inTurns<Value>(steps: Generator<undefined, Value>): Promise<Value> {
  for (let began = performance.now(); ; ) {
    const step = steps.next();
    if (step.done) return step.value;
    if (performance.now() - began < longestStep) continue;
    await nextTurn();
    began = performance.now();
  }
}

/** Milliseconds that preparing a request may take at one go. */
const longestStep = 20;

function logPrepared({ log, record, response }: CompletionJob, prepared: PreparedRequest): void {
  log.strategyUsed = prepared.strategyUsed;
  log.strategyFirst ??= prepared.strategyUsed;
  // The history is the same in every attempt.
  if (log.count === 1) for (const note of prepared.notes) response.note(note);
  log.dropped = prepared.dropped;
  log.dialect = prepared.dialect;
  log.toolPromptTokens = prepared.toolPromptTokens;
  if (keepsBodies(record.request)) log.body = prepared.json;
}

const isForm = (what: string): boolean => what.startsWith('retreat:');

/** A stream that is to end with its token counts. */
const isAskedToCount = ({ turn }: CompletionJob): boolean => turn.stream && turn.includeUsage;

/** Counts what passed through and the server did not count, before the last frame goes out. */
async function countPassed(job: CompletionJob): Promise<void> {
  const { response } = job;
  if (response.summary.usage !== undefined) return;
  await estimate(job);
  if (response.summary.usage) response.passUsage(response.summary.usage);
}

/** For the record of a turn that passed through: it is counted when its answer is out. */
async function estimate({ response: { summary }, turn }: CompletionJob): Promise<void> {
  if (summary.usage !== undefined) return;
  const usage = await estimateTokens(turn, { sample: summary.textSample, length: summary.textLength });
  summary.count({ type: 'usage', choice: 0, ...usage });
}

/** The first attempt at a route, in the form that was learned to be needed there. */
function firstAttemptAt(
  route: Route,
  job: Pick<CompletionJob, 'adapter' | 'model' | 'turn' | 'delegate'> & Partial<Pick<CompletionJob, 'proxyRules'>>,
): NextAttempt {
  const { adapter, model, turn } = job;
  const learned = learnedForms(route, turn);
  return {
    route,
    api: outboundApi(adapter, model, route),
    strategyUsed: onlyDecidesCalls(job) ? 'prompt' : strategyFor(model, route, turn, learned.includes('prompt')),
    retreats: learned.includes('prompt') ? learned.filter((form) => form !== 'prompt') : learned,
    refused: [],
    pendingLessons: [],
  };
}

/** How tools are sent there. */
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

const unheeded = 'The response ignored tool_choice.';

/** The engine itself was asked for a call and ended its answer without one; one that was cut might have come. */
const isUnheeded = ({ turn, response }: CompletionJob, { strategyUsed }: RequestForm): boolean =>
  strategyUsed === 'native' &&
  turn.n === 1 &&
  response.summary.notes.some(
    ({ class: found, detail }) => found === 'CallRequired' && /: (?:stop|tool_calls)$/.test(detail ?? ''),
  );

/** A call that a `tool_choice` of `none` did not allow. */
const isForbiddenCall = ({ class: found }: Finding): boolean => found === 'CallForbidden';
