/** Keeps requests away from an upstream that failed several in a row, and lets one through now and then to see. */
export class Breaker {
  private readonly states = new Map<string, State>();

  constructor(
    private readonly options: { readonly failures: number; readonly restMs: number } = { failures: 5, restMs: 10_000 },
  ) {}

  /** True if a request may go there now. While open, one request each `restMs` may: the probe. */
  admits(upstreamId: string, now: number = performance.now()): boolean {
    const state = this.states.get(upstreamId);
    if (state === undefined || state.failures < this.options.failures) return true;
    if (now < state.nextProbeAt) return false;
    state.nextProbeAt = now + this.options.restMs;
    return true;
  }

  /** A request, with all its attempts there, is over. A request counts once, whatever number of attempts it took. */
  report(upstreamId: string, answered: boolean, now: number = performance.now()): void {
    if (answered) {
      this.states.delete(upstreamId);
      return;
    }
    const state = this.states.get(upstreamId) ?? { failures: 0, nextProbeAt: 0 };
    state.failures++;
    state.nextProbeAt = now + this.options.restMs;
    this.states.set(upstreamId, state);
  }

  /** Milliseconds until the next request may go there. */
  opensIn(upstreamId: string, now: number = performance.now()): number {
    return Math.max(0, (this.states.get(upstreamId)?.nextProbeAt ?? 0) - now);
  }

  /** Upstreams that are kept away from now. */
  open(): string[] {
    return [...this.states].flatMap(([id, state]) => (state.failures >= this.options.failures ? [id] : []));
  }
}

interface State {
  failures: number;
  nextProbeAt: number;
}
