/** A model on an upstream, which has a circuit of its own. */
export interface BreakerKey {
  readonly upstreamId: string;
  /** The model's name on the upstream. */
  readonly model: string;
}

/**
 * How a request ended, all its attempts at a model on an upstream taken together. `answered`: with a response, refusals
 * included; `model`: the server failed or was silent; `upstream`: no model server was reached.
 */
export type BreakerOutcome = 'answered' | 'model' | 'upstream';

/** When a circuit opens, and for how long. */
export interface BreakerOptions {
  /** How many requests in a row must fail for a circuit to open. */
  readonly failures: number;
  /** Milliseconds between two probes. */
  readonly restMs: number;
}

/** If this many models of one upstream open within this time, the whole upstream opens. */
const modelsOfOutage = 3;
const togetherMs = 60_000;

/**
 * A circuit breaker for each model on an upstream and for each upstream as a whole. After several failures in a row it
 * opens: no requests are sent, except a probe from time to time (D-38).
 */
export class Breaker {
  private readonly upstreams = new Map<string, UpstreamCircuit>();

  constructor(private readonly options: BreakerOptions = { failures: 5, restMs: 10_000 }) {}

  /** True if a request may be sent. While a circuit is open, one request per `restMs` may: the probe. */
  admits(place: BreakerKey, now: number = performance.now()): boolean {
    const open = this.openAt(place);
    if (open.some((circuit) => now < circuit.nextProbeAt)) return false;
    for (const circuit of open) circuit.nextProbeAt = now + this.options.restMs;
    return true;
  }

  /** Reports how a request ended. Call it once per request, however many attempts it took. */
  report({ upstreamId, model }: BreakerKey, outcome: BreakerOutcome, now: number = performance.now()): void {
    const upstream = this.upstreams.get(upstreamId);
    if (outcome === 'answered') {
      upstream?.models.delete(model);
      if (upstream?.models.size === 0) this.upstreams.delete(upstreamId);
      else if (upstream) upstream.failures = 0;
      return;
    }
    const failed = upstream ?? { ...closed, models: new Map<string, Circuit>() };
    this.upstreams.set(upstreamId, failed);
    if (outcome === 'upstream') {
      this.fail(failed, now);
      return;
    }
    const circuit = failed.models.get(model) ?? { ...closed };
    failed.models.set(model, circuit);
    this.fail(circuit, now);
    const together = [...failed.models.values()].filter(({ openedAt }) => openedAt > now - togetherMs);
    if (together.length < modelsOfOutage || this.isOpen(failed)) return;
    failed.failures = this.options.failures;
    failed.openedAt = now;
    failed.nextProbeAt = now + this.options.restMs;
  }

  /** Milliseconds until the next request may be sent; 0 if it may now. */
  opensIn(place: BreakerKey, now: number = performance.now()): number {
    return Math.max(0, ...this.openAt(place).map(({ nextProbeAt }) => nextProbeAt - now));
  }

  /** What is open: the whole upstream, or this model on it; undefined: neither. */
  stateOf({ upstreamId, model }: BreakerKey): 'upstream' | 'model' | undefined {
    const upstream = this.upstreams.get(upstreamId);
    if (upstream === undefined) return undefined;
    if (this.isOpen(upstream)) return 'upstream';
    return this.isOpen(upstream.models.get(model) ?? closed) ? 'model' : undefined;
  }

  /** The ids of the upstreams that are open as a whole. */
  openUpstreams(): string[] {
    return [...this.upstreams].flatMap(([id, upstream]) => (this.isOpen(upstream) ? [id] : []));
  }

  /** The models that are open on their own. */
  openModels(): BreakerKey[] {
    return [...this.upstreams].flatMap(([upstreamId, { models }]) =>
      [...models].flatMap(([model, circuit]) => (this.isOpen(circuit) ? [{ upstreamId, model }] : [])),
    );
  }

  private openAt({ upstreamId, model }: BreakerKey): Circuit[] {
    const upstream = this.upstreams.get(upstreamId);
    if (upstream === undefined) return [];
    return [upstream, upstream.models.get(model) ?? closed].filter((circuit) => this.isOpen(circuit));
  }

  private isOpen({ failures }: Readonly<Circuit>): boolean {
    return failures >= this.options.failures;
  }

  private fail(circuit: Circuit, now: number): void {
    const wasOpen = this.isOpen(circuit);
    circuit.failures++;
    circuit.nextProbeAt = now + this.options.restMs;
    if (!wasOpen && this.isOpen(circuit)) circuit.openedAt = now;
  }
}

interface Circuit {
  failures: number;
  nextProbeAt: number;
  /** When it was opened last. */
  openedAt: number;
}

interface UpstreamCircuit extends Circuit {
  readonly models: Map<string, Circuit>;
}

const closed: Readonly<Circuit> = { failures: 0, nextProbeAt: 0, openedAt: Number.NEGATIVE_INFINITY };
