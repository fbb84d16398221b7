import { shownBaseUrl } from '@callsmith/contracts';
import type { ModelEntry, Route } from '@callsmith/data/snapshot';
import { holdsError } from '@callsmith/protocols';
import { Fault } from '@callsmith/turn';
import { type AbortReceiver, wait } from '../record/abort-source.ts';
import type { AttemptLog } from '../record/attempt-log.ts';
import type { AttemptFailure } from '../upstream/attempt-failure.ts';
import type { Breaker, BreakerKey, BreakerOutcome } from './breaker.ts';

/** Upstream requests that one request may take, or one round of an agent. */
const maxAttempts = 8;
/** Attempts on one upstream that failed in a way which may pass. */
const maxTries = 3;

/** Where the next attempt goes. */
export interface UpstreamAttempt {
  readonly route: Route;
  /** On a connection of its own. */
  readonly fresh?: boolean;
  readonly afterMs?: number;
}

/** One request's attempts, each in the words of its own API. */
export interface RetryOptions<Next extends UpstreamAttempt> {
  readonly first: Next;
  readonly log: AttemptLog;
  readonly breaker: Breaker;
  /** Aborted when the client hangs up or the gateway stops. */
  readonly signal: AbortReceiver;
  /** Something has gone out: no other attempt may take over (D-23). */
  readonly committed: () => boolean;
  /** Sends one upstream request and waits until its reply is over; undefined: it is good. */
  readonly attempt: (next: Next) => Promise<AttemptFailure | undefined>;
  /** Why nothing stood any more where the last attempt went, although it has an answer. */
  readonly unreached?: () => AttemptFailure | undefined;
  /** What to try after a failure; undefined: nothing. `tries` counts the attempts by upstream. */
  readonly after: (last: Next, failure: AttemptFailure, tries: ReadonlyMap<string, number>) => Next | undefined;
}

/**
 * Asks until there is an answer, nothing left to try, or the signal is aborted; in the first two cases the breaker gets
 * the outcome of each upstream. Resolves with the last attempt's failure.
 */
export async function tryUntilAnswered<Next extends UpstreamAttempt>(
  options: RetryOptions<Next>,
): Promise<AttemptFailure | undefined> {
  const { log, breaker, signal } = options;
  const tries = new Map<string, number>();
  const outcomes = new Map<Route, BreakerOutcome>();
  let failure: AttemptFailure | undefined;
  let next: Next | undefined = options.first;
  while (next) {
    const { id } = next.route.upstream;
    if (next.afterMs) await wait(next.afterMs, signal);
    if (signal.aborted) break;
    log.count++;
    failure = await options.attempt(next);
    const reported = failure ?? options.unreached?.();
    outcomes.set(next.route, reported === undefined ? 'answered' : outcomeOf(reported));
    if (failure === undefined || options.committed() || signal.aborted) break;
    tries.set(id, (tries.get(id) ?? 0) + 1);
    next = log.count - log.earlier >= maxAttempts ? undefined : options.after(next, failure, tries);
  }
  if (!signal.aborted) for (const [route, outcome] of outcomes) breaker.report(breakerKeyOf(route), outcome);
  return failure;
}

/**
 * Where the first attempt goes: to the upstream that `point` (0 to 1) falls on, each as wide as its weight, or to the
 * next in order that is not left alone. Throws `no_upstream`, saying when to come again.
 */
export function firstRoute(model: ModelEntry, breaker: Breaker, point: () => number): Route {
  if (model.routes.length === 0)
    throw new Fault('no_upstream', `No upstream serves "${model.name}" right now.`, {
      headers: { 'retry-after': '10' },
    });
  const drawn = model.routes.length === 1 ? undefined : drawnBy(point(), model.routes);
  if (drawn && breaker.admits(breakerKeyOf(drawn))) return drawn;
  const route = model.routes.find((one) => one !== drawn && breaker.admits(breakerKeyOf(one)));
  if (route) return route;
  const waits = model.routes.map((route) => breaker.opensIn(breakerKeyOf(route)));
  const names = model.routes.map(({ upstream }) => `${upstream.name} (${shownBaseUrl(upstream.baseUrl)})`).join(', ');
  throw new Fault(
    'no_upstream',
    `${names} failed several times in a row and is out of rotation for a moment. Check that the model server is running.`,
    { headers: { 'retry-after': String(Math.max(1, Math.ceil(Math.min(...waits) / 1000))) } },
  );
}

/** Undefined where no upstream has a weight. */
function drawnBy(point: number, routes: readonly Route[]): Route | undefined {
  let left = point * routes.reduce((sum, { weight }) => sum + weight, 0);
  return routes.find(({ weight }) => {
    left -= weight;
    return left < 0;
  });
}

/** The same upstream for every turn of a conversation, as its prefix cache holds what was said before: 0 to 1. */
export const hashFraction = (conversation: string): number => Number.parseInt(conversation.slice(0, 12), 16) / 16 ** 12;

/**
 * What to try after a failure that has nothing to do with what was asked: the same upstream on a fresh connection, the
 * next one, or the same in a moment. Undefined: nothing. `tries` counts the attempts by upstream.
 */
export function tryAgain(
  model: ModelEntry,
  breaker: Breaker,
  {
    last,
    failure,
    tries,
  }: { readonly last: UpstreamAttempt; readonly failure: AttemptFailure; readonly tries: ReadonlyMap<string, number> },
): UpstreamAttempt | undefined {
  if (!isTemporary(failure)) return undefined;
  const { route } = last;
  // A connection that the server had closed already: the request was not read.
  if (failure.kind === 'reset' && !last.fresh) return { route, fresh: true };
  const other = otherRoute(model, breaker, tries);
  if (other) return { route: other };
  const tried = tries.get(route.upstream.id) ?? 0;
  if (tried >= maxTries || !isWorthAgain(failure)) return undefined;
  return { route, afterMs: 100 * 2 ** tried * (0.5 + Math.random()) };
}

/** The first route in order that this request did not take and that is not left alone. */
export const otherRoute = (
  model: ModelEntry,
  breaker: Breaker,
  tries: ReadonlyMap<string, number>,
): Route | undefined => model.routes.find((one) => !tries.has(one.upstream.id) && breaker.admits(breakerKeyOf(one)));

/** Where a route leads, as the breaker counts it. */
export const breakerKeyOf = ({ upstream, upstreamModel }: Route): BreakerKey => ({
  upstreamId: upstream.id,
  model: upstreamModel,
});

/** What a failure says of its place (D-38): an engine that refuses or cannot read something is up. */
function outcomeOf({ kind, status = 0, engine, body }: AttemptFailure): BreakerOutcome {
  if (engine !== undefined || kind === 'answer') return 'answered';
  if (kind === 'connect') return 'upstream';
  if (kind !== 'status') return 'model';
  // A proxy before the engines says it in its own form, or not at all.
  if (status >= 502 && status <= 504 && !holdsError(body ?? '')) return 'upstream';
  return status >= 500 ? 'model' : 'answered';
}

const isOutage = (failure: AttemptFailure): boolean => outcomeOf(failure) !== 'answered';

/** Another upstream, or another time, may do better. */
export const isTemporary = (failure: AttemptFailure): boolean =>
  isOutage(failure) || failure.status === 429 || failure.status === 408;

/** The same upstream may do better in a moment: not where it was silent for minutes, or says itself when to come again. */
const isWorthAgain = ({ kind, status }: AttemptFailure): boolean =>
  kind !== 'silent' && kind !== 'garbage' && status !== 429 && status !== 408;
