/** How long it waits, in milliseconds: longer than an answer's last bytes take to leave. */
const WAIT_MS = 4;
/** How long it may hold up others at a time, in milliseconds. */
const TURN_MS = 0.5;
/** More than so many do not wait, however busy the process is. */
const MOST_WAITING = 200;

/**
 * What is to be done about a request when its answer is out, and nobody waits for: records, figures, lines of the log.
 * Done a little later, a bit at a time, so that the next request does not wait for it.
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

  /** Does at once what waits. */
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
