/** A model on an upstream: what is kept away from on its own. */
export interface BreakerKey {
  readonly upstreamId: string;
  /** The model's name there. */
  readonly model: string;
}

/**
 * How a request at a place ended, all its attempts there taken together: `answered`, also with a refusal; `model`: the
 * server failed at it or was silent; `upstream`: nothing that runs models there was reached.
 */
export type BreakerOutcome = 'answered' | 'model' | 'upstream';

export interface BreakerOptions {
  /** Requests in a row that fail until one is kept away from. */
  readonly failures: number;
  readonly restMs: number;
}

/** So many models of one upstream, opened within so long, are a matter of the upstream. */
const modelsOfOutage = 3;
const togetherMs = 60_000;

/**
 * Keeps requests away from a model on an upstream, or from a whole upstream, that failed several in a row, and lets one
 * through now and then to see (D-38).
 */
export class Breaker {
  private readonly upstreams = new Map<string, UpstreamCircuit>();

  constructor(private readonly options: BreakerOptions = { failures: 5, restMs: 10_000 }) {}

  /** True if a request may go there now. While open, one request each `restMs` may: the probe. */
  admits(place: BreakerKey, now: number = performance.now()): boolean {
    const open = this.openAt(place);
    if (open.some((circuit) => now < circuit.nextProbeAt)) return false;
    for (const circuit of open) circuit.nextProbeAt = now + this.options.restMs;
    return true;
  }

  /** A request is over there. It counts once, whatever number of attempts it took. */
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

  /** Milliseconds until the next request may go there. */
  opensIn(place: BreakerKey, now: number = performance.now()): number {
    return Math.max(0, ...this.openAt(place).map(({ nextProbeAt }) => nextProbeAt - now));
  }

  /** What is kept away from at a place: the whole upstream, or this model on it; undefined: neither. */
  stateOf({ upstreamId, model }: BreakerKey): 'upstream' | 'model' | undefined {
    const upstream = this.upstreams.get(upstreamId);
    if (upstream === undefined) return undefined;
    if (this.isOpen(upstream)) return 'upstream';
    return this.isOpen(upstream.models.get(model) ?? closed) ? 'model' : undefined;
  }

  /** Ids of the upstreams that are kept away from as a whole. */
  openUpstreams(): string[] {
    return [...this.upstreams].flatMap(([id, upstream]) => (this.isOpen(upstream) ? [id] : []));
  }

  /** The models that are kept away from on their own. */
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
