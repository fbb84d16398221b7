/**
 * What comes and goes with every request, to be gone through now and then.
 *
 * A Map or Set would do as well, but for the collector: the table of one that takes and gives entries is replaced again
 * and again, and each old table points to the next one. Once one of them has grown old, all tables behind it, and the
 * requests in them, count as reachable until the next full collection; each of the small collections then copies them.
 */
export class InFlight<T extends object> {
  private readonly places: (T | undefined)[] = [];
  private readonly free: number[] = [];

  get size(): number {
    return this.places.length - this.free.length;
  }

  /** Answers with its place, for `remove`. */
  add(one: T): number {
    const place = this.free.pop() ?? this.places.length;
    this.places[place] = one;
    return place;
  }

  /** Once for each that was added. */
  remove(place: number): void {
    this.places[place] = undefined;
    this.free.push(place);
  }

  all(): T[] {
    return this.places.filter((one) => one !== undefined);
  }
}
