import type { Fault } from '@callsmith/turn';
import type { AbortReceiver } from '../record/abort-source.ts';

/**
 * Limits concurrency: at most `permits` are held at a time. Others wait in the order in which they came, at most
 * `maxWaitMs`.
 */
export class Semaphore {
  /** How many permits are taken. */
  held = 0;
  private readonly queue = new Set<() => void>();

  constructor(
    private readonly permits: number,
    private readonly maxWaitMs: number,
  ) {}

  /** How many wait for a permit. */
  get waiting(): number {
    return this.queue.size;
  }

  /**
   * Takes a permit. Returns 0 if one is free, otherwise resolves with the milliseconds waited. Rejects with `full()`
   * after `maxWaitMs`, or with the signal's reason.
   */
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

  /** Gives a permit back. */
  release(): void {
    const [next] = this.queue;
    // The permit goes to the one that has waited longest.
    if (next) next();
    else this.held--;
  }
}
