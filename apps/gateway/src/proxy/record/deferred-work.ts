/** How long it is deferred, in milliseconds: longer than a response's last bytes need. */
const WAIT_MS = 4;
/** How long it may block the event loop at a time, in milliseconds. */
const TURN_MS = 0.5;
/** Maximum deferred tasks, however busy the process is: each keeps all of its request in memory. */
const MOST_WAITING = 64;

/**
 * Work for a request after its response: records, metrics, log lines. Done a little later, in small slices, so that the
 * next request does not wait for it.
 */
class DeferredWork {
  private readonly waiting: (() => void)[] = [];
  private due = false;

  add(work: () => void): void {
    this.waiting.push(work);
    if (this.due) return;
    this.due = true;
    setTimeout(this.turn, WAIT_MS);
  }

  /** Does all deferred work immediately. */
  flush(): void {
    for (const work of this.waiting.splice(0)) work();
  }

  private readonly turn = (): void => {
    const until = performance.now() + TURN_MS;
    const least = this.waiting.length - MOST_WAITING;
    let done = 0;
    try {
      do this.waiting[done++]?.();
      while (done < least || (done < this.waiting.length && performance.now() < until));
    } finally {
      this.waiting.splice(0, done);
      this.due = this.waiting.length > 0;
      if (this.due) setImmediate(this.turn);
    }
  };
}

export const deferred = new DeferredWork();
