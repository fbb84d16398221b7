import type { ConfigSnapshot, Lesson, ModelEntry, Route } from '@callsmith/data/snapshot';
import { type EngineFailure, occursInRequest, outboundAdapters, refusedParameter } from '@callsmith/protocols';
import { answerMismatch, choose } from '@callsmith/toolcall';
import { Fault, type StrategyUsed, type Turn } from '@callsmith/turn';
import { keepsBodies } from '../observers/index.ts';
import { AbortSource } from '../record/abort-source.ts';
import { conversationKey } from '../record/conversation-key.ts';
import { runAttempt } from '../upstream/attempt.ts';
import type { AttemptFailure } from '../upstream/attempt-failure.ts';
import type { CompletionJob } from '../upstream/completion-job.ts';
import { contextFault, mayExceedContext } from '../upstream/context-fit.ts';
import { countPrompt, countTokens, estimateTokens } from '../upstream/count-tokens.ts';
import { type PreparedRequest, prepareRequest } from '../upstream/prepare-request.ts';
import type { UpstreamClient } from '../upstream/upstream-client.ts';
import type { Breaker } from './breaker.ts';
import { MarkedCalls } from './marked-calls.ts';
import { OutboundChooser } from './outbound-chooser.ts';
import { firstRoute, type NextTry, pointOf, tryAgain, tryUntilAnswered } from './retry.ts';

/** What the next attempt is. */
interface NextAttempt extends NextTry {
  readonly strategyUsed: StrategyUsed;
  /** Parameters refused in this request, beside those the snapshot knows. */
  readonly refused: readonly string[];
  /** What is learned of earlier attempts, if this one brings an output: only then was it what they failed at. */
  readonly findings: readonly (() => void)[];
}

/**
 * One turn may take several upstream requests: this is the only place that knows of it. All attempts feed the one
 * response that faces the client, and the next one is made only while nothing has gone out (D-23).
 */
export class Attempts {
  private readonly chooser = new OutboundChooser();
  private readonly markedCalls = new MarkedCalls();

  constructor(
    private readonly client: UpstreamClient,
    private readonly breaker: Breaker,
    private readonly snapshot: ConfigSnapshot,
  ) {}

  /** Asks until there is an answer or nothing left to try. The response has ended when this resolves. */
  async run(job: CompletionJob): Promise<void> {
    const { response, signal } = job;
    let prepared: PreparedRequest | undefined;
    const failure = await tryUntilAnswered<NextAttempt>({
      first: this.first(job),
      log: job.log,
      breaker: this.breaker,
      signal,
      committed: () => response.committed,
      attempt: async (next) => {
        try {
          prepared = this.prepare(job, next);
        } catch (error) {
          if (error instanceof Fault) return { fault: error, kind: 'answer' };
          throw error;
        }
        if (mayExceedContext(job.model, next.route, prepared)) {
          const fault = await contextFault(this.client, job.model, next.route, prepared, signal);
          if (fault) return { fault, kind: 'answer' };
        }
        const said = response.summary.textLength;
        const failed = await runAttempt(this.client, job, { prepared, fresh: next.fresh === true });
        // D-37: only a first output shows that what was left out is what the attempts before failed at.
        const { textLength, calls } = response.summary;
        if (textLength > said || calls.length > 0) for (const learn of next.findings) learn();
        return failed;
      },
      after: (last, failure, tries) => this.after(job, last, failure, tries),
    });
    if (signal.aborted) {
      // A client that hung up gets nothing; one that is stopped for another reason is told.
      if (signal.reason instanceof Fault) response.end(signal.reason);
      return;
    }
    const passed = prepared?.passthrough !== undefined;
    if (failure === undefined) this.learnForm(job);
    if (failure === undefined && prepared && !passed) await this.complete(job, prepared);
    response.end(failure?.fault);
    if (failure === undefined && passed) await estimate(job);
  }

  /** The tokens of a turn's prompt as it would be sent. Throws what is wrong with the turn. */
  async count(asked: Pick<CompletionJob, 'adapter' | 'model' | 'turn' | 'messagePath'>): Promise<number> {
    const { model, turn } = asked;
    // Where it cannot be asked it is estimated, so that no upstream's state matters.
    const route = model.routes[0] ?? firstRoute(model, this.breaker, () => 0);
    const prepared = prepareRequest(
      { ...asked, proxyRules: false, passthrough: undefined },
      { route, strategyUsed: strategyFor(model, route, turn), api: 'openai-chat', refused: [] },
    );
    return countPrompt(
      this.client,
      { upstream: route.upstream, body: prepared.body, turn: prepared.turn },
      new AbortSource(),
    );
  }

  private first({ record, model, turn }: CompletionJob): NextAttempt {
    const route = firstRoute(model, this.breaker, () =>
      pointOf(conversationKey(record.request.key?.id ?? '', turn, record.request.conversation)),
    );
    return { route, strategyUsed: strategyFor(model, route, turn), refused: [], findings: [] };
  }

  private prepare(job: CompletionJob, { route, strategyUsed, refused }: NextAttempt): PreparedRequest {
    const { log, record, response } = job;
    log.route = route;
    log.strategyUsed = strategyUsed;
    const api = this.chooser.choose(job.adapter, route.upstream);
    const prepared = prepareRequest(job, { route, strategyUsed, api, refused });
    // The history is the same in every attempt.
    if (log.count === 1) for (const note of prepared.notes) response.note(note);
    log.dropped = prepared.dropped;
    log.dialect = prepared.dialect;
    log.toolPromptTokens = prepared.toolPromptTokens;
    if (keepsBodies(record.request)) log.body = prepared.json;
    return prepared;
  }

  /** What to try after a failure; undefined: nothing. */
  private after(
    job: CompletionJob,
    last: NextAttempt,
    failure: AttemptFailure,
    tries: ReadonlyMap<string, number>,
  ): NextAttempt | undefined {
    const { adapter, model, turn } = job;
    const { route, strategyUsed, refused, findings } = last;
    if (this.chooser.isMissing(this.chooser.choose(adapter, route.upstream), route.upstream, failure))
      return { route, strategyUsed, refused, findings };
    const { engine, sent } = failure;
    if (engine !== undefined && strategyUsed === 'native' && model.strategy.value === 'auto' && turn.tools.size > 0)
      return this.retreat(job, last, failure, engine);
    const parameter = refusedParameter(failure.fault);
    if (parameter !== undefined && sent?.parameters.includes(parameter.name) && refused.length < 4) {
      const what = `parameter:${parameter.name}` as const;
      const learn = (): void => this.learn(model, route, { what, value: false, reason: parameter.message });
      return {
        route,
        strategyUsed,
        refused: [...refused, parameter.name],
        findings: occursInRequest(parameter.phrases, sent.body) ? findings : [...findings, learn],
      };
    }
    // What the engine's own parser could not read, the model may write better once; the same is not asked a third time.
    if (engine?.kind === 'parser' && tries.get(route.upstream.id) === 1) return last;
    const again = tryAgain(model, this.breaker, { last, failure, tries });
    if (again === undefined) return undefined;
    return again.route === route
      ? { ...again, strategyUsed, refused, findings }
      : { ...again, strategyUsed: strategyFor(model, again.route, turn), refused: [], findings: [] };
  }

  /** The same request by prompt, where the engine itself cannot do it natively. That it takes no tools at all is learned. */
  private retreat(
    { response, model }: CompletionJob,
    { route, refused, findings }: NextAttempt,
    { fault, sent }: AttemptFailure,
    { kind, phrases, message }: EngineFailure,
  ): NextAttempt {
    const reason = fault.message.slice(0, 500);
    response.note({ stage: 'upstream', action: 'retreated', detail: reason });
    const learn = (): void => this.learn(model, route, { what: 'native-tools', value: false, reason: message });
    const certain = kind === 'tools' && sent !== undefined && !occursInRequest(phrases, sent.body);
    return { route, strategyUsed: 'prompt', refused, findings: certain ? [...findings, learn] : findings };
  }

  /** Before a good answer ends: counts what the upstream did not count, learns, hands over what is to be stored. */
  private async complete(job: CompletionJob, { turn, target }: PreparedRequest): Promise<void> {
    const { record, response, model, signal, store } = job;
    const { route } = record.attempts;
    if (route === undefined) return;
    const { summary } = response;
    if (summary.usage === undefined) {
      const { body } = outboundAdapters['openai-chat'].request(turn, target);
      const uncounted = { upstream: route.upstream, body, turn, folded: summary.answer.whole() };
      response.push({ type: 'usage', choice: 0, ...(await countTokens(this.client, uncounted, signal)) });
    }
    this.checkFormat(job);
    if (model.reasoningPrefilled === undefined && summary.notes.some(({ detail }) => detail === 'lone-reasoning-close'))
      this.learn(model, route, {
        what: 'reasoning-prefilled',
        value: true,
        reason: 'A closing tag came without its opening one.',
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

  /** Under `prompt` the model was told of the answer's format and nothing enforced it. */
  private checkFormat({ record, turn, response }: CompletionJob): void {
    if (record.attempts.strategyUsed !== 'prompt' || turn.sampling.response_format === undefined) return;
    if (turn.tools.size === 0) return;
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

/** For the record of a turn that passed through: it is counted when its answer is out. */
async function estimate({ response: { summary }, turn }: CompletionJob): Promise<void> {
  if (summary.usage !== undefined) return;
  const usage = await estimateTokens(turn, { sample: summary.textSample, length: summary.textLength });
  summary.count({ type: 'usage', choice: 0, ...usage });
}

/** How tools reach the model there. */
const strategyFor = (model: ModelEntry, { nativeTools }: Route, turn: Turn): StrategyUsed =>
  choose({
    configured: model.strategy.value,
    turn,
    ...(nativeTools !== undefined && { takesTools: nativeTools }),
  });
