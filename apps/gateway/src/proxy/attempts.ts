import type { Directory, LearnedThing, ModelEntry, Route } from '@callsmith/data';
import { payloads, pipe } from '@callsmith/stream';
import { choose, type PlainText } from '@callsmith/toolcall';
import { Fault, type Folded, Folder, type StrategyUsed, type Turn } from '@callsmith/turn';
import {
  type AnswerHead,
  type Front,
  passthrough,
  passthroughWhole,
  refusedParameter,
  refusesTools,
  rejectedCall,
  type UpstreamRequest,
  upstreams,
} from '@callsmith/wires';
import { listen, tap, understand } from './answer.ts';
import { Attempt, type Failure, targetOf } from './attempt.ts';
import type { Breaker } from './breaker.ts';
import type { ClientAnswer } from './client-answer.ts';
import { conversationOf } from './conversation-of.ts';
import { countTokens, estimateTokens } from './count-tokens.ts';
import type { Exchange } from './exchange.ts';
import { keepsBodies, type Watching } from './observers/index.ts';
import { hearPassing, hearWhole } from './passing.ts';
import { firstRoute, pointOf, type Try, tryAgain, tryUntilAnswered } from './retry.ts';
import { type Shaped, shape } from './shape.ts';
import { ShortWay } from './short-way.ts';
import type { StopSignal } from './stop.ts';
import type { Sending, UpstreamClient } from './upstream.client.ts';
import { WireFor } from './wire-for.ts';
import { withoutKey } from './without-key.ts';

/** A turn to be asked, and where its answer goes. */
export interface Asking {
  readonly exchange: Exchange;
  readonly model: ModelEntry;
  readonly turn: Turn;
  /** The API that the client speaks. */
  readonly front: Front;
  readonly head: AnswerHead;
  readonly answer: ClientAnswer;
  readonly watching: Watching;
  /** The turn's frames go through as they come (D-16). */
  readonly untouched: boolean;
  /** Where the client put a message, for error messages. */
  readonly place: (message: number) => string;
  /** Given a good answer before it ends. */
  readonly kept?: (folded: Folded) => void;
  /** The rules of the compatibility routes (M-4, M-5). */
  readonly proxyRules: boolean;
  /** The client's headers that go along. */
  readonly headers: Readonly<Record<string, string>>;
  /** Aborted when the client hangs up or the gateway stops. */
  readonly signal: StopSignal;
  /** What the client's pace is passed on to. */
  readonly flow: Flow;
}

/** The upstream request that runs now, for back-pressure. */
export interface Flow {
  sending: Sending | undefined;
}

/** What the next attempt is. */
interface Next extends Try {
  readonly strategyUsed: StrategyUsed;
  /** Parameters refused in this request, beside those the directory knows. */
  readonly refuses: readonly string[];
}

/**
 * One turn may take several upstream requests: this is the only place that knows of it. All attempts
 * feed the one answer that faces the client, and the next is asked for only while nothing has gone out (D-23).
 */
export class Attempts {
  private readonly wires = new WireFor();

  constructor(
    private readonly client: UpstreamClient,
    private readonly breaker: Breaker,
    private readonly directory: Directory,
    /** Plain text goes past the stages that need not look at it. */
    private readonly shortWay: boolean,
  ) {}

  /** Asks until there is an answer or nothing left to try. The answer has ended when this resolves. */
  async run(asking: Asking): Promise<void> {
    const { answer, exchange, signal } = asking;
    const failure = await tryUntilAnswered<Next>({
      first: this.first(asking),
      exchange,
      breaker: this.breaker,
      signal,
      committed: () => answer.committed,
      attempt: (next) => this.attempt(asking, next),
      after: (last, failure, tries) => this.after(asking, last, failure, tries),
    });
    if (signal.aborted) {
      // A client that hung up hears nothing; one that is stopped for another reason is told.
      if (signal.reason instanceof Fault) this.close(asking, signal.reason);
      return;
    }
    if (failure === undefined && !asking.untouched) await this.complete(asking);
    this.close(asking, failure?.fault);
    if (failure === undefined && asking.untouched) await this.estimate(asking);
  }

  /** For the record of a turn that passed untouched: it is counted when its answer is out. */
  private async estimate({ exchange }: Asking): Promise<void> {
    const { account, sample, turn } = exchange;
    if (account.usage !== undefined || turn === undefined) return;
    const usage = await estimateTokens(turn, { sample, length: account.textLength });
    account.add({ type: 'usage', choice: 0, ...usage });
  }

  /** Before a good answer ends: counts what the upstream did not count, learns, hands over what is to be kept. */
  private async complete({ exchange, answer, model, signal, kept, place }: Asking): Promise<void> {
    const { account, folder, route, strategyUsed, turn } = exchange;
    if (route === undefined || strategyUsed === undefined || turn === undefined) return;
    if (account.usage === undefined) {
      const shaped = shape(turn, model, strategyUsed, place);
      const { body } = upstreams['openai-chat'].request(shaped.turn, targetOf(route, []));
      const uncounted = { upstream: route.upstream, body, turn: shaped.turn, folded: folder.whole() };
      const usage = { type: 'usage', choice: 0, ...(await countTokens(this.client, uncounted, signal)) } as const;
      account.add(usage);
      folder.push(usage);
      answer.push(usage);
    }
    if (model.reasoningPrefilled === undefined && account.notes.some(({ detail }) => detail === 'lone-reasoning-close'))
      this.learn(model, route, 'reasoning-prefilled', true, 'A closing tag came without its opening one.');
    kept?.(folder.whole());
  }

  private learn(model: ModelEntry, { upstream }: Route, what: LearnedThing, value: boolean, reason: string): void {
    this.directory.learn({
      modelId: model.id,
      upstreamId: upstream.id,
      what,
      value,
      engineVersion: upstream.engineVersion,
      reason,
    });
  }

  private close({ exchange, answer }: Asking, fault: Fault | undefined): void {
    exchange.fault ??= fault;
    answer.end(fault);
  }

  private first({ exchange, model, turn }: Asking): Next {
    const route = firstRoute(model, this.breaker, () => pointOf(conversationOf(exchange.key?.id ?? '', turn)));
    return { route, strategyUsed: strategyFor(model, route, turn), refuses: [] };
  }

  /** What to try after a failure; undefined: nothing. */
  private after(
    { exchange, front, model, turn }: Asking,
    last: Next,
    failure: Failure,
    tries: ReadonlyMap<string, number>,
  ): Next | undefined {
    const { route, strategyUsed, refuses } = last;
    if (this.wires.isMissing(this.wires.choose(front, route.upstream), route.upstream, failure))
      return { route, strategyUsed, refuses };
    if (
      strategyUsed === 'native' &&
      model.strategy.value === 'auto' &&
      turn.tools.size > 0 &&
      refusesTools(failure.fault)
    ) {
      const reason = failure.fault.message.slice(0, 500);
      this.learn(model, route, 'native-tools', false, reason);
      exchange.account.add({
        type: 'note',
        choice: 0,
        note: { stage: 'upstream', action: 'retreated', detail: reason },
      });
      return { route, strategyUsed: 'prompt', refuses };
    }
    const parameter = refusedParameter(failure.fault);
    if (parameter !== undefined && failure.sent?.includes(parameter) && refuses.length < 4) {
      this.directory.learnRefusal(route.upstream.id, parameter);
      return { route, strategyUsed, refuses: [...refuses, parameter] };
    }
    const again = tryAgain(model, this.breaker, { last, failure, tries });
    if (again === undefined) return undefined;
    return again.route === route
      ? { ...again, strategyUsed, refuses }
      : { ...again, strategyUsed: strategyFor(model, again.route, turn), refuses: [] };
  }

  /** Sends one upstream request and waits until its reply is over. */
  private async attempt(asking: Asking, next: Next): Promise<Failure | undefined> {
    const { exchange, answer, model, turn, signal, watching } = asking;
    const { route, strategyUsed } = next;
    exchange.route = route;
    exchange.strategyUsed = strategyUsed;
    exchange.attempts++;
    const target = targetOf(route, next.refuses);
    let shaped: Shaped;
    let path: string;
    let body: string;
    let sent: () => string[];
    const wire = upstreams[this.wires.choose(asking.front, route.upstream)];
    try {
      shaped = shape(turn, model, strategyUsed, asking.place);
      if (exchange.attempts === 1)
        for (const note of shaped.notes) exchange.account.add({ type: 'note', choice: 0, note });
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
    exchange.injectedTokens = shaped.injectedTokens;
    if (keepsBodies(exchange)) exchange.upstreamBody = body;
    exchange.account.begin();
    exchange.folder = new Folder();
    const ears = watching.attempt();
    const short = turn.stream && this.shortWay ? new ShortWay({ ...ears, exchange, answer }) : undefined;
    const join =
      short &&
      ((text: PlainText): void => {
        short.text = text;
      });
    return new Promise((resolve) => {
      const done = (failure: Failure | undefined): void => {
        signal.removeEventListener('abort', cancel);
        short?.tell();
        if (failure) withoutKey(failure.fault, route.upstream);
        resolve(failure && { ...failure, sent: sent() });
      };
      const attempt = new Attempt({
        exchange,
        answer,
        target,
        understand: (end) => understand(shaped.read({ proxyRules: asking.proxyRules, join }), ears)(end),
        listen: (next) => listen(wire, ears.payload, short)(next),
        passing: asking.untouched
          ? {
              stream: pipe(payloads(), tap([...ears.payload, hearPassing(exchange)]), passthrough(turn, asking.head)),
              whole: (whole) => {
                for (const event of wire.explode(whole)) hearWhole(event, exchange);
                return passthroughWhole(whole, asking.head);
              },
            }
          : undefined,
        explode: wire.explode,
        faultOf: (reply) => wire.fault(reply, target),
        rejectedCall,
        showPayload: (text) => {
          for (const ear of ears.payload) ear(text);
        },
        done,
      });
      const cancel = (): void => attempt.cancel();
      signal.addEventListener('abort', cancel);
      exchange.heardAt = undefined;
      const sending = this.client.send(
        route.upstream,
        { path, body, headers: asking.headers, ...(next.fresh && { fresh: true }) },
        attempt,
      );
      attempt.sending = sending;
      asking.flow.sending = sending;
      exchange.sentAt ??= performance.now();
      // When whatever else has come meanwhile has had its turn.
      if (turn.stream) setImmediate(() => attempt.expectStream());
    });
  }
}

/** What a request asked for, by name; `strict` stands in its tools. */
const parametersOf = ({ body }: UpstreamRequest, { turn }: Shaped): string[] => [
  ...Object.keys(body),
  ...(turn.tools.list.some(({ strict }) => strict !== undefined) ? ['strict'] : []),
];

/** How tools reach the model there. */
const strategyFor = (model: ModelEntry, { nativeTools }: Route, turn: Turn): StrategyUsed =>
  choose({
    configured: model.strategy.value,
    turn,
    now: Date.now(),
    ...(nativeTools !== undefined && { takesTools: nativeTools }),
  }).strategy;
