import { Fault } from '@callsmith/turn';
import { LRUCache } from 'lru-cache';

const WINDOW_MS = 15 * 60_000;
const PER_ACCOUNT = 10;
const PER_ADDRESS = 50;

interface Counted {
  count: number;
  readonly since: number;
}

/** Counts attempts to sign in, by account and by address, in this process; forgets the least recent beyond 50 000. */
export class Attempts {
  readonly #counts = new LRUCache<string, Counted>({ max: 50_000 });

  constructor(private readonly now: () => number = Date.now) {}

  /** Counts an attempt before it is judged, so that a hundred at once do not slip by. Throws a 429. */
  begin(account: string, address: string): void {
    this.#count(`account ${account.toLowerCase()}`, PER_ACCOUNT);
    this.#count(`address ${address}`, PER_ADDRESS);
  }

  /** Someone who knows the password has not been guessing. */
  succeeded(account: string, address: string): void {
    this.#counts.delete(`account ${account.toLowerCase()}`);
    const counted = this.#counts.get(`address ${address}`);
    if (counted) counted.count -= 1;
  }

  #count(name: string, limit: number): void {
    const now = this.now();
    const known = this.#counts.get(name);
    const counted = known && now - known.since < WINDOW_MS ? known : { count: 0, since: now };
    if (counted.count >= limit) throw tooMany(counted.since + WINDOW_MS - now);
    counted.count += 1;
    this.#counts.set(name, counted);
  }
}

function tooMany(waitMs: number): Fault {
  const seconds = Math.ceil(waitMs / 1000);
  return new Fault('too_many_attempts', `Too many attempts to sign in; try again in ${Math.ceil(seconds / 60)} min.`, {
    headers: { 'retry-after': String(seconds) },
  });
}
