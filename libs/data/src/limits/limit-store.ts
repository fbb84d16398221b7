/** The period of a counter, in UTC. */
export type Unit = 'minute' | '15 minutes' | 'day' | 'month';

/** A lease of a counter's units. */
export interface Lease {
  readonly granted: number;
  /** The counter's value, all leases included. */
  readonly used: number;
  /** When the window began; milliseconds. */
  readonly begins: number;
  /** The store's clock; milliseconds. */
  readonly clock: number;
}

/** Counters and stream leases shared by all gateways. Every method throws if the store is unreachable. */
export interface LimitStore {
  /** Leases up to `want` of the remaining units of `limit` in the current window. */
  lease(name: string, unit: Unit, want: number, limit: number): Promise<Lease>;
  /** Adds units used beyond a window's leases to its counter; negative: returns unused ones. */
  add(name: string, unit: Unit, begins: number, amount: number): Promise<void>;
  /** A counter's value in the current window, all leases included. */
  read(name: string, unit: Unit): Promise<number>;
  /** Acquires a lease for a stream of a key. False: all `limit` are in use. */
  acquireStream(leaseId: string, keyId: string, limit: number): Promise<boolean>;
  /** How many streams of a key are running, on all gateways. */
  runningStreams(keyId: string): Promise<number>;
  releaseStream(leaseId: string, keyId: string): Promise<void>;
  /** Renews this gateway's leases. */
  renewStreams(leases: readonly { readonly id: string; readonly keyId: string }[]): Promise<void>;
}

/** How long a stream's lease lasts without a renewal by its gateway. */
export const STREAM_LEASE_MS = 30_000;

const LENGTH_MS = { minute: 60_000, '15 minutes': 900_000, day: 86_400_000 } as const;

/** The end of the window that began at this time; milliseconds. */
export function windowEnd(unit: Unit, begins: number): number {
  if (unit !== 'month') return begins + LENGTH_MS[unit];
  const at = new Date(begins);
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 1);
}

/** The start of the window that contains an instant; milliseconds. */
export function windowBegin(unit: Unit, at: number): number {
  if (unit !== 'month') return Math.floor(at / LENGTH_MS[unit]) * LENGTH_MS[unit];
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
}

/** Nest's token of the `LimitStore`, which all gateways share. */
export const LIMIT_STORE = Symbol('LIMIT_STORE');
