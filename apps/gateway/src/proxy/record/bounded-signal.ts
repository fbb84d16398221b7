import { type AbortReceiver, AbortSource } from './abort-source.ts';

/**
 * A request's signal that is also aborted after some time, unless the bounded operation has come far enough by then.
 */
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

  /** The bounded operation has ended. */
  end(): void {
    clearTimeout(this.timer);
    this.outer.removeEventListener('abort', this.stopped);
  }

  private readonly stopped = (): void => this.abort(this.outer.reason);
}
