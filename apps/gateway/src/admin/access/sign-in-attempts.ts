import { createHash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { LIMIT_STORE, type LimitStore, windowBegin, windowEnd } from '@callsmith/data/limits';
import { Fault } from '@callsmith/turn';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';

const WINDOW = '15 minutes';
const WINDOW_MS = 15 * 60_000;
const PER_ACCOUNT = 10;
const PER_ADDRESS = 50;

interface Counted {
  count: number;
  readonly since: number;
}

/**
 * Counts sign-in attempts by account and by address, and attempts to use one-time links by address, once for all
 * gateways. While the counter store is unreachable each gateway counts on its own, for the 50 000 most recent.
 */
@Injectable()
export class SignInAttempts {
  readonly #localCounts = new LRUCache<string, Counted>({ max: 50_000 });

  constructor(@Inject(LIMIT_STORE) private readonly store: LimitStore) {}

  /**
   * Counts an attempt before it is checked, so that a hundred concurrent ones do not slip through. Throws a 429.
   * Attempts of a known device are counted only by that device, so that strangers do not lock its owner out.
   */
  async begin(account: string, address: string, device?: string): Promise<void> {
    if (device !== undefined) return this.#count(nameOf('device', device), PER_ACCOUNT);
    // The address first: one that has no attempts left cannot lock accounts either.
    await this.#count(nameOf('address', netOf(address)), PER_ADDRESS);
    await this.#count(nameOf('account', account.toLowerCase()), PER_ACCOUNT);
  }

  /** Resets the counters: a user who knows the password has not been guessing. */
  async succeeded(account: string, address: string, device?: string): Promise<void> {
    if (device !== undefined) return this.#giveBack(nameOf('device', device), PER_ACCOUNT);
    await this.#giveBack(nameOf('account', account.toLowerCase()), PER_ACCOUNT);
    await this.#giveBack(nameOf('address', netOf(address)), 1);
  }

  /** Counts an attempt to use a one-time link, by address, before it is checked. Throws a 429. */
  beginLink(address: string): Promise<void> {
    return this.#count(nameOf('link', netOf(address)), PER_ADDRESS);
  }

  /** Resets the counter: a user who has a valid link has not been guessing. */
  linkWasGood(address: string): Promise<void> {
    return this.#giveBack(nameOf('link', netOf(address)), 1);
  }

  async #count(name: string, most: number): Promise<void> {
    const lease = await this.store.lease(name, WINDOW, 1, most).catch(() => undefined);
    if (!lease) return this.#countHere(name, most);
    if (lease.granted === 0) throw tooMany(windowEnd(WINDOW, lease.begins) - lease.clock);
  }

  #countHere(name: string, most: number): void {
    const now = Date.now();
    const previous = this.#localCounts.get(name);
    const counted = previous && now - previous.since < WINDOW_MS ? previous : { count: 0, since: now };
    if (counted.count >= most) throw tooMany(counted.since + WINDOW_MS - now);
    counted.count += 1;
    this.#localCounts.set(name, counted);
  }

  async #giveBack(name: string, amount: number): Promise<void> {
    const counted = this.#localCounts.get(name);
    if (counted) counted.count = Math.max(0, counted.count - amount);
    await this.store.add(name, WINDOW, windowBegin(WINDOW, Date.now()), -amount).catch(() => {});
  }
}

/** Hashed, so that keys have one length and the store contains no e-mail addresses. */
const nameOf = (what: string, value: string): string =>
  `sign-in:${what}:${createHash('sha256').update(value).digest('hex').slice(0, 32)}`;

/**
 * One client usually has a whole IPv6 /64, so its addresses count as one; an IPv4-mapped IPv6 address counts as IPv4.
 */
function netOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped) return mapped;
  if (!isIPv6(address)) return address;
  const [head = '', tail = ''] = address.split('%')[0]!.toLowerCase().split('::');
  const front = head.split(':').filter(Boolean);
  const back = tail.split(':').filter(Boolean);
  const all = [...front, ...Array<string>(Math.max(0, 8 - front.length - back.length)).fill('0'), ...back];
  return all.slice(0, 4).join(':');
}

function tooMany(waitMs: number): Fault {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  return new Fault('too_many_attempts', `Too many attempts. Try again in ${Math.ceil(seconds / 60)} min.`, {
    headers: { 'retry-after': String(seconds) },
  });
}
