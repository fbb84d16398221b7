import { type LimitStore, type Unit, windowBegin, windowEnd } from './limit-store.ts';
import type { StoreGracePeriod } from './store-grace-period.ts';

/** The result of requesting units of a counter. */
export type SliceResult =
  | { readonly ok: true; readonly begins: number; readonly amount: number }
  /** `resetsAt`: when the window ends, by this machine's clock; milliseconds. */
  | { readonly ok: false; readonly resetsAt: number }
  /** The store has been unreachable for too long to continue without it. */
  | { readonly ok: false; readonly away: true };

interface Slice {
  unit: Unit;
  begins: number;
  /** Leased and unused units; negative: used beyond the lease. */
  left: number;
  usedAt: number;
  /** Until then the store has less than `short` left. */
  emptyUntil: number;
  short: number;
  /** The store's last values: the counter, and the limit of a window. */
  used: number;
  limit: number;
  /** One lease request at a time. */
  leasing: Promise<void>;
}

/** How long an exhausted counter is not requested again. */
const EMPTY_MS = 250;
/** A slice that is idle for this long is returned, so that other gateways can use it. */
const IDLE_MS = 1_000;

/**
 * Shared counters, leased in slices: limited requests are counted in memory without a store access (D-30). While the
 * store is unreachable everything is granted and counted here, during the grace period, and synchronized when it is
 * back.
 */
export class Slices {
  private readonly slices = new Map<string, Slice>();
  /** The store's clock minus this machine's. */
  private offset = 0;

  constructor(
    private readonly store: LimitStore,
    private readonly grace: StoreGracePeriod,
  ) {}

  /** Takes `need` units of a counter with `limit` per window; a need above `limit` takes all of them. */
  async take(name: string, unit: Unit, need: number, limit: number): Promise<SliceResult> {
    const amount = Math.min(need, limit);
    const slice = this.sliceOf(name, unit);
    slice.usedAt = Date.now();
    if (slice.left >= amount) return spend(slice, amount);
    const turn = slice.leasing.then(() => this.takeLeased(name, slice, amount, limit));
    slice.leasing = turn.then(
      () => {},
      () => {},
    );
    return turn;
  }

  /** Replaces the taken units by the actually used ones. */
  finish(name: string, unit: Unit, taken: { readonly begins: number; readonly amount: number }, used: number): void {
    const slice = this.sliceOf(name, unit);
    if (slice.begins === taken.begins) slice.left += taken.amount - used;
  }

  /** The used shares of the counters that this gateway requested in their current window, by name. */
  shares(): ReadonlyMap<string, number> {
    const limited = [...this.slices].filter(([, { limit }]) => limit > 0);
    return new Map(
      limited.map(([name, { used, left, limit }]) => [name, Math.max(0, used - Math.max(0, left)) / limit]),
    );
  }

  /** What remains of a counter in its current window, as far as this gateway knows; and when the next one begins. */
  left(name: string, unit: Unit, limit: number): { readonly left: number; readonly resetsAt: number } {
    const slice = this.sliceOf(name, unit);
    const left = Math.max(0, Math.min(limit, limit - slice.used + slice.left));
    return { left, resetsAt: windowEnd(unit, slice.begins) - this.offset };
  }

  /** Returns idle units and adds those used beyond leases. Throws if the store is unreachable. */
  async tidy(all = false): Promise<void> {
    const now = Date.now();
    for (const [name, slice] of this.slices) {
      const over = this.begins(slice.unit) !== slice.begins;
      if (slice.left < 0 || (slice.left > 0 && (all || now - slice.usedAt > IDLE_MS))) {
        const { left } = slice;
        slice.left = 0;
        try {
          await this.store.add(name, slice.unit, slice.begins, -left);
          slice.used -= left;
        } catch (problem) {
          slice.left += left;
          throw problem;
        }
      }
      if (over && slice.left === 0) this.slices.delete(name);
    }
  }

  private async takeLeased(name: string, slice: Slice, amount: number, limit: number): Promise<SliceResult> {
    this.roll(slice);
    if (slice.left >= amount) return spend(slice, amount);
    const resetsAt = windowEnd(slice.unit, slice.begins) - this.offset;
    if (Date.now() < slice.emptyUntil && amount >= slice.short) return { ok: false, resetsAt };
    const want = Math.max(amount - slice.left, Math.floor(limit / 20));
    try {
      const { granted, used, begins, clock } = await this.store.lease(name, slice.unit, want, limit);
      this.grace.worked();
      this.offset = clock - Date.now();
      if (begins !== slice.begins) Object.assign(slice, { begins, left: 0 });
      Object.assign(slice, { left: slice.left + granted, used, limit });
    } catch {
      // The store is unreachable: granted, and counted as used beyond the lease.
      return this.grace.lasts() ? spend(slice, amount) : { ok: false, away: true };
    }
    if (slice.left >= amount) return spend(slice, amount);
    slice.emptyUntil = Date.now() + EMPTY_MS;
    slice.short = amount;
    return { ok: false, resetsAt: windowEnd(slice.unit, slice.begins) - this.offset };
  }

  private sliceOf(name: string, unit: Unit): Slice {
    let slice = this.slices.get(name);
    if (!slice) {
      slice = {
        unit,
        begins: this.begins(unit),
        left: 0,
        usedAt: 0,
        emptyUntil: 0,
        short: 0,
        used: 0,
        limit: 0,
        leasing: Promise.resolve(),
      };
      this.slices.set(name, slice);
    }
    this.roll(slice);
    return slice;
  }

  /** A new window has begun: leases of the old one are void. */
  private roll(slice: Slice): void {
    const begins = this.begins(slice.unit);
    if (begins > slice.begins) Object.assign(slice, { begins, left: 0, emptyUntil: 0, used: 0, limit: 0 });
  }

  private begins(unit: Unit): number {
    return windowBegin(unit, Date.now() + this.offset);
  }
}

function spend(slice: Slice, amount: number): SliceResult {
  slice.left -= amount;
  return { ok: true, begins: slice.begins, amount };
}
