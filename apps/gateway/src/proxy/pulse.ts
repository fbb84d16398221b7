/** What is looked at now and then. */
export interface Beating {
  beat(now: number, silenceMs: number, patienceMs: number): void;
}

/** One timer for all streams: none of them starts or stops a timer for a chunk. */
export class Pulse {
  private readonly beating = new Set<Beating>();
  private timer: NodeJS.Timeout | undefined;

  /** `silenceMs`: after how much silence something is sent; `patienceMs`: how long a client may read nothing. */
  constructor(
    private readonly silenceMs = 15_000,
    private readonly patienceMs = 300_000,
  ) {}

  get size(): number {
    return this.beating.size;
  }

  add(one: Beating): void {
    this.beating.add(one);
    this.timer ??= setInterval(() => this.look(), Math.min(1000, this.silenceMs / 4)).unref();
  }

  remove(one: Beating): void {
    this.beating.delete(one);
    if (this.beating.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private look(): void {
    const now = performance.now();
    for (const one of this.beating) one.beat(now, this.silenceMs, this.patienceMs);
  }
}
