import type { Fault } from '@callsmith/turn';
import type { AbortReceiver } from '../record/abort-source.ts';

/** Lets at most `places` in at a time; the others wait in order, not longer than `patienceMs`. */
export class Semaphore {
  inside = 0;
  private readonly queue = new Set<() => void>();

  constructor(
    private readonly places: number,
    private readonly patienceMs: number,
  ) {}

  get waiting(): number {
    return this.queue.size;
  }

  /** Milliseconds waited; at once 0 where there is room. Rejects with `full()` when patience ends, or with the signal's reason. */
  enter(signal: AbortReceiver, full: () => Fault): number | Promise<number> {
    if (this.inside < this.places) {
      this.inside++;
      return 0;
    }
    const since = performance.now();
    return new Promise((resolve, reject) => {
      const leaveQueue = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', gone);
        this.queue.delete(called);
      };
      const called = () => {
        leaveQueue();
        resolve(performance.now() - since);
      };
      const gone = () => {
        leaveQueue();
        reject(signal.reason);
      };
      const timer = setTimeout(() => {
        leaveQueue();
        reject(full());
      }, this.patienceMs);
      signal.addEventListener('abort', gone);
      this.queue.add(called);
    });
  }

  leave(): void {
    const [next] = this.queue;
    // The place goes over to who waits longest.
    if (next) next();
    else this.inside--;
  }
}
