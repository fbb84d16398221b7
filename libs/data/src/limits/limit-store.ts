/** How long a counter counts before it begins anew, in UTC. */
export type Unit = 'minute' | '15 minutes' | 'day' | 'month';

/** What a store gave out of a counter. */
export interface Lease {
  readonly granted: number;
  /** The counter's value, all leases included. */
  readonly used: number;
  /** When the window began; milliseconds. */
  readonly begins: number;
  /** The store's clock; milliseconds. */
  readonly clock: number;
}

/** Where counters and stream leases are shared by all gateways. Everything throws where the store is away. */
export interface LimitStore {
  /** Leases up to `want` units of what is left of `limit` in the running window. */
  lease(name: string, unit: Unit, want: number, limit: number): Promise<Lease>;
  /** Adds to a window's counter what was used beyond its leases; negative: gives back what was not used. */
  add(name: string, unit: Unit, begins: number, amount: number): Promise<void>;
  /** A counter's value in the running window, all leases included. */
  read(name: string, unit: Unit): Promise<number>;
  /** Acquires a lease for a stream of a key. False: all `limit` are taken. */
  acquireStream(leaseId: string, keyId: string, limit: number): Promise<boolean>;
  /** How many streams of a key run, on all gateways. */
  runningStreams(keyId: string): Promise<number>;
  releaseStream(leaseId: string, keyId: string): Promise<void>;
  /** Keeps this gateway's leases for another while. */
  renewStreams(leases: readonly { readonly id: string; readonly keyId: string }[]): Promise<void>;
}

/** How long a stream's lease is kept without a word from its gateway. */
export const STREAM_LEASE_MS = 30_000;

const LENGTH_MS = { minute: 60_000, '15 minutes': 900_000, day: 86_400_000 } as const;

/** When the window after the one that began then begins; milliseconds. */
export function windowEnd(unit: Unit, begins: number): number {
  if (unit !== 'month') return begins + LENGTH_MS[unit];
  const at = new Date(begins);
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 1);
}

/** When the window that holds an instant began; milliseconds. */
export function windowBegin(unit: Unit, at: number): number {
  if (unit !== 'month') return Math.floor(at / LENGTH_MS[unit]) * LENGTH_MS[unit];
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
}

/** Nest's token of the `LimitStore`: where all gateways count together. */
export const LIMIT_STORE = Symbol('LIMIT_STORE');
