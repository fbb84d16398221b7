import { InFlight } from '../../in-flight.ts';

/** Something that is checked periodically. */
export interface HeartbeatStream {
  beat(now: number, silenceMs: number, maxUnreadMs: number): void;
}

/** One timer for all streams, so that none starts or stops a timer per chunk. */
export class Heartbeat {
  private readonly beating = new InFlight<HeartbeatStream>();
  private timer: NodeJS.Timeout | undefined;

  /** `silenceMs`: the silence after which a heartbeat is sent; `maxUnreadMs`: how long a client may read nothing. */
  constructor(
    private readonly silenceMs = 15_000,
    private readonly maxUnreadMs = 300_000,
  ) {}

  get size(): number {
    return this.beating.size;
  }

  /** Returns its slot, for `remove`. */
  add(one: HeartbeatStream): number {
    this.timer ??= setInterval(() => this.look(), Math.min(1000, this.silenceMs / 4)).unref();
    return this.beating.add(one);
  }

  remove(slot: number): void {
    this.beating.remove(slot);
    if (this.beating.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private look(): void {
    const now = performance.now();
    for (const one of this.beating.all()) one.beat(now, this.silenceMs, this.maxUnreadMs);
  }
}
