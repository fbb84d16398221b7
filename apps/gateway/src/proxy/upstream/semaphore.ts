import type { Fault } from '@callsmith/turn';
import type { AbortReceiver } from '../record/abort-source.ts';

/** Lets at most `permits` in at a time; the others wait in order, not longer than `maxWaitMs`. */
export class Semaphore {
  held = 0;
  private readonly queue = new Set<() => void>();

  constructor(
    private readonly permits: number,
    private readonly maxWaitMs: number,
  ) {}

  get waiting(): number {
    return this.queue.size;
  }

  /** Milliseconds waited; at once 0 where there is room. Rejects with `full()` after that time, or with the signal's reason. */
  acquire(signal: AbortReceiver, full: () => Fault): number | Promise<number> {
    if (this.held < this.permits) {
      this.held++;
      return 0;
    }
    const since = performance.now();
    return new Promise((resolve, reject) => {
      const leaveQueue = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', aborted);
        this.queue.delete(admitted);
      };
      const admitted = () => {
        leaveQueue();
        resolve(performance.now() - since);
      };
      const aborted = () => {
        leaveQueue();
        reject(signal.reason);
      };
      const timer = setTimeout(() => {
        leaveQueue();
        reject(full());
      }, this.maxWaitMs);
      signal.addEventListener('abort', aborted);
      this.queue.add(admitted);
    });
  }

  release(): void {
    const [next] = this.queue;
    // The permit goes over to who waits longest.
    if (next) next();
    else this.held--;
  }
}
