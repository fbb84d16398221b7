import type { Lease, LimitStore, Unit } from './limit-store.ts';

/** Maximum time of a store request. */
const ANSWER_MS = 1_500;

/** How long the store is not used after a failed request: until then every request fails without waiting. */
const PAUSE_MS = 1_000;

/**
 * A counter store that never blocks: a request uses it several times in sequence, and a hanging store would delay it
 * each time. One request per second checks whether it is back.
 */
export class BoundedStore implements LimitStore {
  private awayUntil = 0;

  constructor(private readonly store: LimitStore) {}

  lease(name: string, unit: Unit, want: number, limit: number): Promise<Lease> {
    return this.bounded(() => this.store.lease(name, unit, want, limit));
  }

  add(name: string, unit: Unit, begins: number, amount: number): Promise<void> {
    return this.bounded(() => this.store.add(name, unit, begins, amount));
  }

  read(name: string, unit: Unit): Promise<number> {
    return this.bounded(() => this.store.read(name, unit));
  }

  acquireStream(leaseId: string, keyId: string, limit: number): Promise<boolean> {
    return this.bounded(() => this.store.acquireStream(leaseId, keyId, limit));
  }

  runningStreams(keyId: string): Promise<number> {
    return this.bounded(() => this.store.runningStreams(keyId));
  }

  releaseStream(leaseId: string, keyId: string): Promise<void> {
    return this.bounded(() => this.store.releaseStream(leaseId, keyId));
  }

  renewStreams(leases: readonly { readonly id: string; readonly keyId: string }[]): Promise<void> {
    return this.bounded(() => this.store.renewStreams(leases));
  }

  private async bounded<T>(ask: () => Promise<T>): Promise<T> {
    if (performance.now() < this.awayUntil) throw new Error('The store of the counters did not answer a moment ago.');
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => reject(new Error(`The store of the counters did not answer in ${ANSWER_MS} ms.`)),
        ANSWER_MS,
      );
    });
    try {
      return await Promise.race([ask(), late]);
    } catch (error) {
      this.awayUntil = performance.now() + PAUSE_MS;
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }
}
