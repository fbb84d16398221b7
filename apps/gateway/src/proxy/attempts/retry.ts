import { shownBaseUrl } from '@callsmith/contracts';
import type { ModelEntry, Route } from '@callsmith/data/snapshot';
import { holdsError } from '@callsmith/protocols';
import { Fault } from '@callsmith/turn';
import { type AbortReceiver, wait } from '../record/abort-source.ts';
import type { AttemptLog } from '../record/attempt-log.ts';
import type { AttemptFailure } from '../upstream/attempt-failure.ts';
import type { Breaker, BreakerKey, BreakerOutcome } from './breaker.ts';

/** The most upstream requests for one request, or for one round in agent mode. */
const maxAttempts = 8;
/** The most attempts at one upstream after temporary failures. */
const maxTries = 3;

/** Where the next attempt goes. */
export interface UpstreamAttempt {
  readonly route: Route;
  /** Sends it on a new connection. */
  readonly fresh?: boolean;
  readonly afterMs?: number;
}

/** How the attempts of one request are made. `Next` has what the API needs for an attempt. */
export interface RetryOptions<Next extends UpstreamAttempt> {
  readonly first: Next;
  readonly log: AttemptLog;
  readonly breaker: Breaker;
  /** Aborted when the client hangs up or the gateway stops. */
  readonly signal: AbortReceiver;
  /** True if something was sent to the client, so that no other attempt may be made (D-23). */
  readonly committed: () => boolean;
  /** Sends one upstream request and waits until its response is over; undefined: the response is good. */
  readonly attempt: (next: Next) => Promise<AttemptFailure | undefined>;
  /** The failure by which the upstream became unreachable after it had given the response that is delivered. */
  readonly unreached?: () => AttemptFailure | undefined;
  /** The attempt to make after a failure; undefined: none. `tries`: the number of attempts by upstream id. */
  readonly after: (last: Next, failure: AttemptFailure, tries: ReadonlyMap<string, number>) => Next | undefined;
}

/**
 * Makes attempts until one gives a response, none is left, or the signal is aborted. Unless aborted, it reports the
 * outcome of each upstream to the breaker. Resolves with the last attempt's failure, or with undefined.
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
 * The route of the first attempt: drawn by weight at `point` (0 to 1); if the breaker does not admit it, the first one
 * that it does. Throws `no_upstream` with a `retry-after` header.
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
    `After several failures in a row, "${model.name}" is out of rotation for a moment on ${names}. Check that the model server is running.`,
    { headers: { 'retry-after': String(Math.max(1, Math.ceil(Math.min(...waits) / 1000))) } },
  );
}

/** The route at a point of 0 to 1; undefined if no route has a weight. */
function drawnBy(point: number, routes: readonly Route[]): Route | undefined {
  let left = point * routes.reduce((sum, { weight }) => sum + weight, 0);
  return routes.find(({ weight }) => {
    left -= weight;
    return left < 0;
  });
}

/**
 * Maps a conversation to a number from 0 to 1, so that all its turns go to the upstream whose prefix cache has the
 * earlier ones.
 */
export const hashFraction = (conversation: string): number => Number.parseInt(conversation.slice(0, 12), 16) / 16 ** 12;

/**
 * The attempt to make after a failure that has nothing to do with the request: at the same upstream on a new
 * connection, at the next one, or at the same one after a delay. Undefined: none. `tries`: the number of attempts by
 * upstream id.
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
  // The server had closed the idle connection already, so that it has not read the request.
  if (failure.kind === 'reset' && !last.fresh) return { route, fresh: true };
  const other = otherRoute(model, breaker, tries);
  if (other) return { route: other };
  const tried = tries.get(route.upstream.id) ?? 0;
  if (tried >= maxTries || !isWorthAgain(failure)) return undefined;
  return { route, afterMs: 100 * 2 ** tried * (0.5 + Math.random()) };
}

/** The first route that this request has not used and that the breaker admits. */
export const otherRoute = (
  model: ModelEntry,
  breaker: Breaker,
  tries: ReadonlyMap<string, number>,
): Route | undefined => model.routes.find((one) => !tries.has(one.upstream.id) && breaker.admits(breakerKeyOf(one)));

/** The breaker's key of a route. */
export const breakerKeyOf = ({ upstream, upstreamModel }: Route): BreakerKey => ({
  upstreamId: upstream.id,
  model: upstreamModel,
});

/** What a failure means for the breaker (D-38). An engine that refuses or fails to parse something is not an outage. */
function outcomeOf({ kind, status = 0, engine, body }: AttemptFailure): BreakerOutcome {
  if (engine !== undefined || kind === 'answer') return 'answered';
  if (kind === 'connect') return 'upstream';
  if (kind !== 'status') return 'model';
  // A proxy in front of the engines has its own error page or an empty body.
  if (status >= 502 && status <= 504 && !holdsError(body ?? '')) return 'upstream';
  return status >= 500 ? 'model' : 'answered';
}

const isOutage = (failure: AttemptFailure): boolean => outcomeOf(failure) !== 'answered';

/** True if the same request may succeed at another upstream or later. */
export const isTemporary = (failure: AttemptFailure): boolean =>
  isOutage(failure) || failure.status === 429 || failure.status === 408;

/**
 * True if the same upstream may succeed in a moment. Not after a timeout, and not if the upstream says when to retry.
 */
const isWorthAgain = ({ kind, status }: AttemptFailure): boolean =>
  kind !== 'silent' && kind !== 'garbage' && status !== 429 && status !== 408;
