import { type AbortReceiver, AbortSource } from './abort-source.ts';

/** A request's signal that is aborted after some time as well, unless by then what it bounds has come far enough. */
export class BoundedSignal extends AbortSource {
  timedOut = false;
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly outer: AbortReceiver,
    ms: number,
    goesOn: () => boolean,
  ) {
    super();
    this.timer = setTimeout(() => {
      if (goesOn()) return;
      this.timedOut = true;
      this.abort();
    }, ms);
    outer.addEventListener('abort', this.stopped);
    if (outer.aborted) this.stopped();
  }

  /** What it bounds is over. */
  end(): void {
    clearTimeout(this.timer);
    this.outer.removeEventListener('abort', this.stopped);
  }

  private readonly stopped = (): void => this.abort(this.outer.reason);
}
