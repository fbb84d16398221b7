/**
 * A set of short-lived objects, one per request, that is iterated now and then.
 *
 * A Map or Set would also work, if not for the garbage collector: when entries come and go, its table is replaced again
 * and again, and each old table points to the next one. Once one of them is in the old generation, all later tables,
 * and the requests in them, count as reachable until the next full collection, and each minor collection copies them.
 */
export class InFlight<T extends object> {
  private readonly slots: (T | undefined)[] = [];
  private readonly free: number[] = [];

  get size(): number {
    return this.slots.length - this.free.length;
  }

  /** Returns its slot, for `remove`. */
  add(item: T): number {
    const slot = this.free.pop() ?? this.slots.length;
    this.slots[slot] = item;
    return slot;
  }

  /** Once for each item that was added. */
  remove(slot: number): void {
    this.slots[slot] = undefined;
    this.free.push(slot);
  }

  all(): T[] {
    return this.slots.filter((one) => one !== undefined);
  }
}
