import type { ConfigSnapshot, LearnedThing, ModelEntry, Route } from '@callsmith/data/snapshot';
import {
  type EngineFailure,
  engineFailure,
  type InboundAdapter,
  outboundAdapters,
  type Passthrough,
  type ResponseHead,
  refusedParameter,
  rejectedCall,
  standsInRequest,
  type UpstreamRequest,
} from '@callsmith/protocols';
import { payloads, pipe } from '@callsmith/stream';
import { choose } from '@callsmith/toolcall';
import { Fault, type Folded, ResponseAccumulator, type StrategyUsed, type Turn } from '@callsmith/turn';
import { keepsBodies, type Observers } from '../observers/index.ts';
import type { AbortReceiver } from '../record/abort-source.ts';
import type { RequestRecord } from '../record/request-record.ts';
import type { ClientResponse } from '../response/client-response.ts';
import { Attempt, type AttemptFailure, targetOf } from '../upstream/attempt.ts';
import { countTokens, estimateTokens } from '../upstream/count-tokens.ts';
import { observePayloads } from '../upstream/observe.ts';
import { observePassthrough, observeWhole } from '../upstream/observe-passthrough.ts';
import { type PreparedRequest, prepareRequest } from '../upstream/prepare-request.ts';
import { parseModelOutput, parseUpstream } from '../upstream/response-pipe.ts';
import type { Sending, UpstreamClient } from '../upstream/upstream-client.ts';
import { withoutKey } from '../upstream/without-key.ts';
import type { Breaker } from './breaker.ts';
import { conversationKey } from './conversation-key.ts';
import { OutboundChooser } from './outbound-chooser.ts';
import { firstRoute, pointOf, type Try, tryAgain, tryUntilAnswered } from './retry.ts';

/** A turn to be asked, and where its answer goes. */
export interface CompletionJob {
  readonly exchange: RequestRecord;
  readonly model: ModelEntry;
  readonly turn: Turn;
  /** The API that the client speaks. */
  readonly adapter: InboundAdapter;
  readonly head: ResponseHead;
  readonly response: ClientResponse;
  readonly observers: Observers;
  /** The turn's frames go through as they come; undefined: they are read. */
  readonly passthrough: Passthrough | undefined;
  /** Where the client put a message, for error messages. */
  readonly messagePath: (message: number) => string;
  /** Given a good answer before it ends. */
  readonly store?: (folded: Folded) => void;
  /** The rules of the compatibility routes (M-4, M-5). */
  readonly proxyRules: boolean;
  /** The client's headers that go along. */
  readonly headers: Readonly<Record<string, string>>;
  /** Aborted when the client hangs up or the gateway stops. */
  readonly signal: AbortReceiver;
  /** What the client's pace is passed on to. */
  readonly flow: UpstreamFlow;
}

/** The upstream request that runs now, for back-pressure. */
export interface UpstreamFlow {
  sending: Sending | undefined;
}

/** What the next attempt is. */
interface NextAttempt extends Try {
  readonly strategyUsed: StrategyUsed;
  /** Parameters refused in this request, beside those the config snapshot knows. */
  readonly refuses: readonly string[];
  /** What is learned of earlier attempts, if this one brings an output: only then was it what they failed at. */
  readonly findings: readonly (() => void)[];
}

/**
 * One turn may take several upstream requests: this is the only place that knows of it. All attempts
 * feed the one answer that faces the client, and the next is asked for only while nothing has gone out (D-23).
 */
export class Attempts {
  private readonly wires = new OutboundChooser();

  constructor(
    private readonly client: UpstreamClient,
    private readonly breaker: Breaker,
    private readonly snapshot: ConfigSnapshot,
  ) {}

  /** Asks until there is an answer or nothing left to try. The answer has ended when this resolves. */
  async run(asking: CompletionJob): Promise<void> {
    const { response, exchange, signal } = asking;
    const failure = await tryUntilAnswered<NextAttempt>({
      first: this.first(asking),
      exchange,
      breaker: this.breaker,
      signal,
      committed: () => response.committed,
      attempt: async (next) => {
        const failed = await this.attempt(asking, next);
        if (failed === undefined || response.committed) for (const learn of next.findings) learn();
        return failed;
      },
      after: (last, failure, tries) => this.after(asking, last, failure, tries),
    });
    if (signal.aborted) {
      // A client that hung up hears nothing; one that is stopped for another reason is told.
      if (signal.reason instanceof Fault) this.close(asking, signal.reason);
      return;
    }
    const passed = exchange.route !== undefined && this.passthroughOf(asking, exchange.route) !== undefined;
    if (failure === undefined && !passed) await this.complete(asking);
    this.close(asking, failure?.fault);
    if (failure === undefined && passed) await this.estimate(asking);
  }

  /** How frames go through, where the server is asked by the very API that they are of. */
  private passthroughOf({ passthrough, adapter }: CompletionJob, { upstream }: Route): Passthrough | undefined {
    return passthrough?.outbound === this.wires.choose(adapter, upstream) ? passthrough : undefined;
  }

  /** For the record of a turn that passed untouched: it is counted when its answer is out. */
  private async estimate({ exchange }: CompletionJob): Promise<void> {
    const { summary, textSample, turn } = exchange;
    if (summary.usage !== undefined || turn === undefined) return;
    const usage = await estimateTokens(turn, { sample: textSample, length: summary.textLength });
    summary.add({ type: 'usage', choice: 0, ...usage });
  }

  /** Before a good answer ends: counts what the upstream did not count, learns, hands over what is to be kept. */
  private async complete({ exchange, response, model, signal, store, messagePath }: CompletionJob): Promise<void> {
    const { summary, delivered, route, strategyUsed, turn } = exchange;
    if (route === undefined || strategyUsed === undefined || turn === undefined) return;
    if (summary.usage === undefined) {
      const shaped = prepareRequest(turn, model, strategyUsed, messagePath);
      const { body } = outboundAdapters['openai-chat'].request(shaped.turn, targetOf(route, []));
      const uncounted = { upstream: route.upstream, body, turn: shaped.turn, folded: delivered.whole() };
      const usage = { type: 'usage', choice: 0, ...(await countTokens(this.client, uncounted, signal)) } as const;
      summary.add(usage);
      delivered.push(usage);
      response.push(usage);
    }
    if (model.reasoningPrefilled === undefined && summary.notes.some(({ detail }) => detail === 'lone-reasoning-close'))
      this.learn(model, route, 'reasoning-prefilled', true, 'A closing tag came without its opening one.');
    store?.(delivered.whole());
  }

  private learn(model: ModelEntry, { upstream }: Route, what: LearnedThing, value: boolean, reason: string): void {
    this.snapshot.learn({
      modelId: model.id,
      upstreamId: upstream.id,
      what,
      value,
      engineVersion: upstream.engineVersion,
      reason,
    });
  }

  private close({ exchange, response }: CompletionJob, fault: Fault | undefined): void {
    exchange.fault ??= fault;
    response.end(fault);
  }

  private first({ exchange, model, turn }: CompletionJob): NextAttempt {
    const route = firstRoute(model, this.breaker, () => pointOf(conversationKey(exchange.key?.id ?? '', turn)));
    return { route, strategyUsed: strategyFor(model, route, turn), refuses: [], findings: [] };
  }

  /** What to try after a failure; undefined: nothing. */
  private after(
    asking: CompletionJob,
    last: NextAttempt,
    failure: AttemptFailure,
    tries: ReadonlyMap<string, number>,
  ): NextAttempt | undefined {
    const { adapter, model, turn } = asking;
    const { route, strategyUsed, refuses, findings } = last;
    if (this.wires.isMissing(this.wires.choose(adapter, route.upstream), route.upstream, failure))
      return { route, strategyUsed, refuses, findings };
    const { engine, sent } = failure;
    if (engine !== undefined && strategyUsed === 'native' && model.strategy.value === 'auto' && turn.tools.size > 0)
      return this.retreat(asking, last, failure, engine);
    const refused = refusedParameter(failure.fault);
    if (refused !== undefined && sent?.parameters.includes(refused.name) && refuses.length < 4) {
      const learn = (): void => this.snapshot.learnRefusal(route.upstream.id, refused.name);
      return {
        route,
        strategyUsed,
        refuses: [...refuses, refused.name],
        findings: standsInRequest(refused.phrases, sent.body) ? findings : [...findings, learn],
      };
    }
    // What the engine's own parser could not read, the model may write better once; the same is not asked a third time.
    if (engine?.kind === 'parser' && tries.get(route.upstream.id) === 1) return last;
    const again = tryAgain(model, this.breaker, { last, failure, tries });
    if (again === undefined) return undefined;
    return again.route === route
      ? { ...again, strategyUsed, refuses, findings }
      : { ...again, strategyUsed: strategyFor(model, again.route, turn), refuses: [], findings: [] };
  }

  /** The same request by prompt, where the engine itself cannot do it natively. That it takes no tools at all is learned. */
  private retreat(
    { exchange, model }: CompletionJob,
    { route, refuses, findings }: NextAttempt,
    { fault, sent }: AttemptFailure,
    { kind, phrases }: EngineFailure,
  ): NextAttempt {
    const reason = fault.message.slice(0, 500);
    exchange.summary.add({
      type: 'note',
      choice: 0,
      note: { stage: 'upstream', action: 'retreated', detail: reason },
    });
    const learn = (): void => this.learn(model, route, 'native-tools', false, reason);
    const certain = kind === 'tools' && sent !== undefined && !standsInRequest(phrases, sent.body);
    return { route, strategyUsed: 'prompt', refuses, findings: certain ? [...findings, learn] : findings };
  }

  /** Sends one upstream request and waits until its reply is over. */
  private async attempt(asking: CompletionJob, next: NextAttempt): Promise<AttemptFailure | undefined> {
    const { exchange, response, model, turn, signal, observers } = asking;
    const { route, strategyUsed } = next;
    const passthrough = this.passthroughOf(asking, route);
    exchange.route = route;
    exchange.strategyUsed = strategyUsed;
    exchange.attempts++;
    const target = targetOf(route, next.refuses);
    let shaped: PreparedRequest;
    let path: string;
    let body: string;
    let sent: () => string[];
    const wire = outboundAdapters[this.wires.choose(asking.adapter, route.upstream)];
    try {
      shaped = prepareRequest(turn, model, strategyUsed, asking.messagePath);
      if (exchange.attempts === 1)
        for (const note of shaped.notes) exchange.summary.add({ type: 'note', choice: 0, note });
      const request = wire.request(shaped.turn, target);
      exchange.dropped = [...new Set([...(turn.dropped ?? []), ...shaped.dropped, ...request.dropped])];
      path = request.path;
      body = JSON.stringify(request.body);
      sent = () => parametersOf(request, shaped);
      const waited = this.client.admit(route.upstream, signal);
      if (typeof waited !== 'number') exchange.waitedMs += await waited;
    } catch (error) {
      if (signal.aborted) return undefined;
      if (error instanceof Fault) return { fault: error, kind: 'answer' };
      throw error;
    }
    exchange.dialect = shaped.dialect;
    exchange.toolPromptTokens = shaped.injectedTokens;
    if (keepsBodies(exchange)) exchange.upstreamBody = body;
    exchange.summary.begin();
    exchange.delivered = new ResponseAccumulator();
    const ears = observers.attempt();
    return new Promise((resolve) => {
      const done = (failure: AttemptFailure | undefined): void => {
        signal.removeEventListener('abort', cancel);
        if (failure) withoutKey(failure.fault, route.upstream);
        const engine = failure && engineFailure(failure, isConstrained(shaped.turn));
        resolve(failure && { ...failure, sent: { parameters: sent(), body }, ...(engine && { engine }) });
      };
      const attempt = new Attempt({
        exchange,
        answer: response,
        target,
        parseModelOutput: (end) => parseModelOutput(shaped.parse({ proxyRules: asking.proxyRules }), ears)(end),
        parseUpstream: (next) => parseUpstream(wire, ears.payload)(next),
        passthrough: passthrough
          ? {
              stream: pipe(
                payloads(),
                observePayloads([...ears.payload, observePassthrough(exchange)]),
                passthrough.stream(turn, asking.head),
              ),
              whole: (whole) => {
                for (const event of wire.toEvents(whole)) observeWhole(event, exchange);
                return passthrough.whole(whole, asking.head);
              },
            }
          : undefined,
        toEvents: wire.toEvents,
        toFault: (reply) => wire.toFault(reply, target),
        rejectedCall,
        showPayload: (text) => {
          for (const ear of ears.payload) ear(text);
        },
        done,
      });
      const cancel = (): void => attempt.cancel();
      signal.addEventListener('abort', cancel);
      exchange.firstByteAt = undefined;
      const sending = this.client.send(
        route.upstream,
        { path, body, headers: asking.headers, ...(next.fresh && { fresh: true }) },
        attempt,
      );
      attempt.sending = sending;
      asking.flow.sending = sending;
      exchange.upstreamRequestAt ??= performance.now();
      // When whatever else has come meanwhile has had its turn.
      if (turn.stream) setImmediate(() => attempt.expectStream());
    });
  }
}

/** What a request asked for, by name; `strict` stands in its tools. */
const parametersOf = ({ body }: UpstreamRequest, { turn }: PreparedRequest): string[] => [
  ...Object.keys(body),
  ...(turn.tools.list.some(({ strict }) => strict !== undefined) ? ['strict'] : []),
];

/** A grammar holds what the model may write. */
const isConstrained = ({ toolChoice, tools, sampling }: Turn): boolean =>
  sampling.response_format !== undefined ||
  (tools.size > 0 &&
    (toolChoice === 'required' || typeof toolChoice === 'object' || tools.list.some(({ strict }) => strict === true)));

/** How tools reach the model there. */
const strategyFor = (model: ModelEntry, { nativeTools }: Route, turn: Turn): StrategyUsed =>
  choose({
    configured: model.strategy.value,
    turn,
    now: Date.now(),
    ...(nativeTools !== undefined && { takesTools: nativeTools }),
  }).strategy;
