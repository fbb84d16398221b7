/**
 * What comes and goes with every request, to be gone through now and then.
 *
 * A Map or Set would do as well, but for the collector: the table of one that takes and gives entries is replaced again
 * and again, and each old table points to the next one. Once one of them has grown old, all tables behind it, and the
 * requests in them, count as reachable until the next full collection; each of the small collections then copies them.
 */
export class InFlight<T extends object> {
  private readonly slots: (T | undefined)[] = [];
  private readonly free: number[] = [];

  get size(): number {
    return this.slots.length - this.free.length;
  }

  /** Answers with its slot, for `remove`. */
  add(one: T): number {
    const slot = this.free.pop() ?? this.slots.length;
    this.slots[slot] = one;
    return slot;
  }

  /** Once for each that was added. */
  remove(slot: number): void {
    this.slots[slot] = undefined;
    this.free.push(slot);
  }

  all(): T[] {
    return this.slots.filter((one) => one !== undefined);
  }
}
