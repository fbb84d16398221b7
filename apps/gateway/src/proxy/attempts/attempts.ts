import type { ModelEntry } from '@callsmith/data/snapshot';
import { outboundAdapters } from '@callsmith/protocols';
import { yieldToOthers } from '@callsmith/stream';
import { answerMismatch } from '@callsmith/toolcall';
import { Fault } from '@callsmith/turn';
import { keepsBodies } from '../observers/index.ts';
import { AbortSource } from '../record/abort-source.ts';
import { DecidingResponse } from '../response/deciding-response.ts';
import { runAttempt } from '../upstream/attempt.ts';
import { type AttemptFailure, asFailure, type UnusableReply } from '../upstream/attempt-failure.ts';
import type { CompletionJob } from '../upstream/completion-job.ts';
import { contextFault, mayExceedContext } from '../upstream/context-fit.ts';
import { countPassed, estimatePassed } from '../upstream/count-passed.ts';
import { countPrompt, countTokens } from '../upstream/count-tokens.ts';
import { type PreparedRequest, prepareRequest } from '../upstream/prepare-request.ts';
import type { UpstreamClient } from '../upstream/upstream-client.ts';
import type { Breaker } from './breaker.ts';
import { ignoredBy, violationOf } from './constraint-violation.ts';
import { type CorrectedAnswer, Correction } from './correction.ts';
import { Delegation } from './delegation.ts';
import { fallbackJob } from './fallback.ts';
import { type LessonStore, Lessons } from './lessons.ts';
import { firstAttempt, firstAttemptAt, type NextAttempt, nextAttempt } from './next-attempt.ts';
import { nextForm } from './retreat.ts';
import { firstRoute, tryUntilAnswered } from './retry.ts';
import { withChosenStrategy } from './with-chosen-strategy.ts';

/** A body of more characters than this is not sent in the same iteration of the event loop in which it was made. */
const longRequest = 1024 * 1024;

/** The state of a request's attempts. */
interface Progress {
  /** The request that was sent last. */
  prepared?: PreparedRequest;
  last?: NextAttempt;
  /** The failure of a correction that could not reach its upstream. */
  unreached?: AttemptFailure | undefined;
}

/**
 * Makes the upstream requests for one turn; no other code knows that there may be several. All attempts feed the
 * client's one response, and another one is made only as long as nothing was sent (D-23).
 */
export class Attempts {
  private readonly lessons: Lessons;

  constructor(
    private readonly client: UpstreamClient,
    private readonly breaker: Breaker,
    lessons: LessonStore,
  ) {
    this.lessons = new Lessons(lessons);
  }

  /**
   * Makes attempts until one gives a response or none is left. The response has ended when this resolves. Rejects with
   * a `Fault` if not even a first attempt is possible.
   */
  async run(requested: CompletionJob): Promise<void> {
    const job = withChosenStrategy(requested);
    const { response, signal } = job;
    let first: NextAttempt;
    try {
      first = firstAttempt(job, this.breaker);
    } catch (error) {
      const other = fallbackJob(job, asFailure(error));
      if (other === undefined) throw error;
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
      after: (last, failure, tries) => nextAttempt(job, this.breaker, { last, failure, tries }),
    });
    if (signal.aborted) {
      // A client that has disconnected gets nothing; for another reason, such as a shutdown, it gets that fault.
      if (signal.reason instanceof Fault) response.end(signal.reason);
      return;
    }
    const other = failure && fallbackJob(job, failure);
    if (other) return this.run(other);
    await this.conclude(job, progress, failure);
  }

  /** Prepares and sends one request, and learns from its response. */
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
      // There are steps only where a request is long, so that the first one took a while.
      if (!step.done) await yieldToOthers();
      prepared = step.done ? step.value : await inTurns(steps);
      progress.prepared = prepared;
      logPrepared(job, prepared);
    } catch (error) {
      return asFailure(error);
    }
    // Making a long request took a while, and sending it does as well: let others run in between.
    if (prepared.json.length > longRequest) await yieldToOthers();
    if (mayExceedContext(model, next.route, prepared)) {
      const fits = await this.fitContext(job, next, prepared);
      if ('fault' in fits) return fits;
      progress.prepared = fits;
      prepared = fits;
    }
    const lengthBefore = response.summary.textLength;
    const failed = await this.attempt(job, next, prepared, (corrected) => {
      progress.prepared = corrected.prepared;
      progress.unreached = corrected.unreached;
    });
    const { textLength, calls } = response.summary;
    if (textLength > lengthBefore || calls.length > 0) this.lessons.learnPending(model, next);
    const last = progress.prepared;
    const violation = last.constrained && violationOf(last.constrained, response.summary, failed);
    this.lessons.learnIgnoredConstraint(model, next.route, last, violation);
    return failed;
  }

  /**
   * Ends the response. Counts tokens, learns lessons and stores the response before that, and what can wait after it.
   */
  private async conclude(
    job: CompletionJob,
    { prepared, last }: Progress,
    failure: AttemptFailure | undefined,
  ): Promise<void> {
    const { response } = job;
    if (failure) {
      if (last && response.committed) this.lessons.learnIgnoredChoice(job, last, failure);
      response.end(failure.fault);
      return;
    }
    const passed = prepared?.passthrough !== undefined;
    this.lessons.learnMarkedCalls(job);
    if (prepared && !passed) await this.complete(job, prepared);
    if (passed) await countPassed(job);
    response.end();
    if (passed) await estimatePassed(job);
    if (prepared) await this.lessons.learnCutPrompt(job, prepared);
  }

  /**
   * Resolves with a request that fits the model's context, as far as that is known, or with the failure. If the prompt
   * does not fit with the full descriptions of the tools, they are shortened before the request is refused (E-4).
   */
  private async fitContext(
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
    const remaining = short.json.length < prepared.json.length ? await faultOf(short) : fault;
    if (remaining) return { fault: remaining, kind: 'answer' };
    logPrepared(job, { ...short, notes: [] });
    return short;
  }

  /** Counts the tokens of a turn's prompt as it would be sent. Throws a `Fault` for an invalid turn. */
  async count(request: Pick<CompletionJob, 'adapter' | 'model' | 'turn' | 'messagePath'>): Promise<number> {
    const model = request.model.choice?.model ?? request.model;
    const counted = { ...request, model };
    // If the upstream cannot count, the tokens are estimated, so that its state does not matter.
    const route = model.routes[0] ?? firstRoute(model, this.breaker, () => 0);
    const prepared = await inTurns(
      prepareRequest(
        { ...counted, proxyRules: false, passthrough: undefined },
        { ...firstAttemptAt(route, counted), api: 'openai-chat' },
      ),
    );
    return countPrompt(
      this.client,
      { upstream: route.upstream, body: prepared.body, turn: prepared.turn },
      new AbortSource(),
    );
  }

  /** Makes one attempt, and corrects its response if necessary; `deliver` gets the result of a correction. */
  private async attempt(
    job: CompletionJob,
    next: NextAttempt,
    prepared: PreparedRequest,
    deliver: (corrected: CorrectedAnswer) => void,
  ): Promise<AttemptFailure | undefined> {
    const { model } = job;
    const correctable = model.maxCorrections.value > 0 && prepared.correctable && prepared.passthrough === undefined;
    const startedAt = performance.now();
    if (job.delegate && prepared.delegatesCalls) return this.delegate(job, job.delegate, next, prepared);
    const attempted = await runAttempt(this.client, job, { prepared, fresh: next.fresh === true, correctable });
    const result = correctable ? rejectedAmid(attempted, job) : attempted;
    if (result === undefined || 'fault' in result) return result;
    const { unusable } = result.answer;
    this.lessons.learnIgnoredConstraint(model, next.route, prepared, ignoredBy(prepared.constrained, unusable));
    if (unusable.kind === 'no-call' && mayTakeOtherForm(job, next, prepared)) return result.release();
    const tookMs = performance.now() - startedAt;
    const corrected = await new Correction(this.client, job, { reply: result, prepared, tookMs }).run();
    deliver(corrected);
    return corrected.failure;
  }

  /** Makes one attempt in which the model says which calls it wants, and lets the other model write them (H-9). */
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

  /**
   * Before a good response ends: counts the tokens if the upstream did not, learns lessons, and stores the response.
   */
  private async complete(job: CompletionJob, { turn, target, toolPromptTokens }: PreparedRequest): Promise<void> {
    const { record, response, signal, store } = job;
    const { route } = record.attempts;
    if (route === undefined) return;
    const { summary } = response;
    if (summary.usage === undefined) {
      const { body } = outboundAdapters['openai-chat'].request(turn, target);
      const uncounted = { upstream: route.upstream, body, turn, folded: summary.answer.whole() };
      response.push({ type: 'usage', choice: 0, ...(await countTokens(this.client, uncounted, signal)) });
    }
    if (toolPromptTokens !== undefined) this.checkFormat(job);
    this.lessons.learnFromAnswer(job);
    await store?.(summary.answer.whole());
  }

  /**
   * Checks the response format, which with the tools in the prompt is only described to the model, not enforced. Notes
   * a mismatch.
   */
  private checkFormat({ turn, response }: CompletionJob): void {
    if (turn.sampling.response_format === undefined) return;
    for (const { text, calls } of response.summary.answer.whole().choices) {
      const note = calls.length === 0 && text !== '' ? answerMismatch(turn, text) : undefined;
      if (note) response.note(note);
    }
  }
}

/** True if a retreat might make the engine call a tool, and nothing was sent to the client yet. */
function mayTakeOtherForm(
  { model, turn, response }: CompletionJob,
  next: NextAttempt,
  prepared: PreparedRequest,
): boolean {
  if (response.committed || next.strategyUsed !== 'native') return false;
  const sent = { turn: prepared.turn, constrained: prepared.constrained !== undefined };
  return nextForm('choice-unheeded', next, { model, turn, sent }) !== undefined;
}

/**
 * Turns a failure of the engine's parser amid the response into an unusable response, which can be corrected, unless a
 * call was sent to the client.
 */
function rejectedAmid<Result extends AttemptFailure | UnusableReply | undefined>(
  attempted: Result,
  { response: { committed, summary } }: CompletionJob,
): Result | UnusableReply {
  if (!attempted || !('fault' in attempted) || attempted.engine?.kind !== 'parser') return attempted;
  if (!committed || summary.calls.length > 0) return attempted;
  const release = (): AttemptFailure => attempted;
  return { answer: { unusable: { kind: 'rejected' }, usage: summary.usage, release }, release };
}

/** Runs steps to their result. Yields to the event loop after each `longestStep` milliseconds. */
async function inTurns<Value>(steps: Generator<undefined, Value>): Promise<Value> {
  for (let began = performance.now(); ; ) {
    const step = steps.next();
    if (step.done) return step.value;
    if (performance.now() - began < longestStep) continue;
    await yieldToOthers();
    began = performance.now();
  }
}

/** Milliseconds that preparing a request may block the event loop. */
const longestStep = 20;

/** Records what is about to be sent. */
function logPrepared({ log, record, response }: CompletionJob, prepared: PreparedRequest): void {
  log.strategyUsed = prepared.strategyUsed;
  log.strategyFirst ??= prepared.strategyUsed;
  // Findings in the history are the same in every attempt.
  if (log.count === 1) for (const note of prepared.notes) response.note(note);
  log.dropped = prepared.dropped;
  log.dialect = prepared.dialect;
  log.toolPromptTokens = prepared.toolPromptTokens;
  if (keepsBodies(record.request)) log.body = prepared.json;
}
