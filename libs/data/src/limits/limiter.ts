import { newId } from '../ids.ts';
import type { KeyEntry } from '../snapshot/config-snapshot.ts';
import type { KeyBudget } from './key-budgets.ts';
import { type LimitStore, STREAM_LEASE_MS, type Unit } from './limit-store.ts';
import { type SliceResult, Slices } from './slices.ts';
import { StoreGracePeriod } from './store-grace-period.ts';

/** The limit that a request exceeded. */
export type LimitKind = 'requests' | 'tokens' | 'streams' | 'budget';

const GRACE_MS = 600_000;

/** A limit per minute: its remainder, as far as this gateway knows, and when it is full again. */
export interface RateLeft {
  readonly limit: number;
  readonly left: number;
  readonly resetsAt: Date;
}

/** The limits per minute of a key. */
export type RatesLeft = { readonly [Name in 'requests' | 'tokens']?: RateLeft };

/** An accepted request, and the function to call when it has ended. */
export interface Reservation {
  readonly ok: true;
  /** To be called once, when the turn has ended in any way: with its actual usage, also when aborted. */
  finish(used: Amounts): void;
}

/** The counted quantities of a request. */
export interface Amounts {
  readonly tokens: number;
  /** Millionths of the currency. */
  readonly spend: number;
}

/** A refused request. */
export interface Refused {
  readonly ok: false;
  /** `uncounted`: the counter store has been unreachable for too long. */
  readonly kind: LimitKind | 'uncounted';
  readonly limit: number;
  /** The exceeded budget, if it was one. */
  readonly budget?: KeyBudget | undefined;
  /** When a retry may succeed; undefined: when another stream ends. */
  readonly resetsAt: Date | undefined;
}

/** Reserved tokens for a request without `max_tokens`. */
export const DEFAULT_MAX_TOKENS = 4096;

/** Limits and budgets of keys, counted once for all gateways (D-30). */
export class Limiter {
  private readonly slices: Slices;
  private readonly streams = new Map<string, string>();
  /** Budgets by their counters, with the last key that used each. */
  private readonly budgets = new Map<string, { readonly budget: KeyBudget; readonly key: KeyEntry }>();
  private timer: NodeJS.Timeout | undefined;
  private readonly tasks = new Set<Promise<void>>();

  private readonly grace: StoreGracePeriod;

  /**
   * `redis`: the connection to the Redis of `store`; `close` is called at the end of `stop`. `graceMs`: how long
   * requests of limited keys continue while the store is unreachable; 10 minutes.
   */
  constructor(
    private readonly store: LimitStore,
    private readonly redis?: { close(): void; awaySince(): Date | undefined },
    graceMs = GRACE_MS,
  ) {
    this.grace = new StoreGracePeriod(graceMs);
    this.slices = new Slices(store, this.grace);
  }

  /** The state of the counting Redis; undefined: Postgres counts. */
  get redisState(): { readonly awaySince: Date | undefined } | undefined {
    return this.redis && { awaySince: this.redis.awaySince() };
  }

  /** The used share of each budget that requests used here, in its current period (1 is all). */
  budgetShares(): { readonly budget: KeyBudget; readonly key: KeyEntry; readonly share: number }[] {
    const shares = this.slices.shares();
    for (const name of this.budgets.keys()) if (!shares.has(name)) this.budgets.delete(name);
    return [...this.budgets].map(([name, budget]) => ({ ...budget, share: shares.get(name) ?? 0 }));
  }

  /** What remains of a key's limits per minute. */
  ratesLeft(key: KeyEntry): RatesLeft {
    const rates = countersOf(key).filter(({ kind }) => kind !== 'budget');
    return Object.fromEntries(
      rates.map(({ kind, name, unit, limit }) => {
        const { left, resetsAt } = this.slices.left(name, unit, limit);
        return [kind, { limit, left, resetsAt: new Date(resetsAt) } satisfies RateLeft];
      }),
    );
  }

  /** Starts renewing stream leases and returning idle slices. */
  start(): void {
    let ticks = 0;
    this.timer = setInterval(() => {
      ticks += 1;
      this.behind(this.slices.tidy());
      if (ticks % (STREAM_LEASE_MS / 3_000) === 0) this.behind(this.store.renewStreams(this.held()));
    }, 1_000).unref();
  }

  /** Returns everything. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all(this.tasks);
    await this.slices.tidy(true).catch(() => {});
    for (const { id, keyId } of this.held()) await this.store.releaseStream(id, keyId).catch(() => {});
    this.redis?.close();
  }

  /**
   * What any request of a key would be refused for now: all requests or tokens of the minute, a whole budget, or all
   * its concurrent requests are used up. Counts nothing.
   */
  async spent(key: KeyEntry): Promise<Refused | undefined> {
    for (const { kind, name, unit, limit, budget } of countersOf(key)) {
      const taken = await this.slices.take(name, unit, 1, limit);
      if (taken.ok) this.slices.finish(name, unit, taken, 0);
      else if ('away' in taken) return { ok: false, kind: 'uncounted', limit, resetsAt: undefined };
      else return { ok: false, kind, limit, resetsAt: new Date(taken.resetsAt), budget };
    }
    const limit = key.concurrentStreams;
    if (limit === undefined || (await this.runningStreams(key.id)) < limit) return undefined;
    return { ok: false, kind: 'streams', limit, resetsAt: undefined };
  }

  /**
   * Counts a request against its key's limits and reserves its tokens (the prompt's estimate plus `max_tokens`) and
   * their cost. A key without limits causes no work. Never throws: while the store is unreachable requests continue and
   * are counted here, until the grace period ends.
   */
  async reserve(key: KeyEntry, ask: Amounts): Promise<Reservation | Refused> {
    const undo: ((used: Amounts) => void)[] = [];
    const refuse = (kind: Refused['kind'], limit: number, resetsAt: Date | undefined, budget?: KeyBudget): Refused => {
      for (const step of undo) step({ tokens: 0, spend: 0 });
      return { ok: false, kind, limit, resetsAt, budget };
    };
    for (const { kind, name, unit, of, limit, budget } of countersOf(key)) {
      const taken: SliceResult = await this.slices.take(name, unit, of === 'requests' ? 1 : ask[of], limit);
      if (budget) this.budgets.set(name, { budget, key });
      if (!taken.ok && 'away' in taken) return refuse('uncounted', limit, undefined);
      if (!taken.ok) return refuse(kind, limit, new Date(taken.resetsAt), budget);
      if (of === 'requests') continue;
      undo.push((used) => this.slices.finish(name, unit, taken, used[of]));
    }
    const limit = key.concurrentStreams;
    if (limit !== undefined) {
      const lease = await this.acquireStream(key.id, limit);
      if (lease === 'uncounted') return refuse('uncounted', limit, undefined);
      if (lease === undefined) return refuse('streams', limit, undefined);
      undo.push(() => this.releaseStream(lease, key.id));
    }
    let finished = false;
    return {
      ok: true,
      finish(used) {
        if (finished) return;
        finished = true;
        for (const step of undo) step(used);
      },
    };
  }

  /** None if the store is unreachable: acquiring a stream decides whether the grace period has ended. */
  private async runningStreams(keyId: string): Promise<number> {
    try {
      return await this.store.runningStreams(keyId);
    } catch {
      return 0;
    }
  }

  private async acquireStream(keyId: string, limit: number): Promise<string | undefined> {
    const lease = newId('lease');
    try {
      const taken = await this.store.acquireStream(lease, keyId, limit);
      this.grace.worked();
      if (!taken) return undefined;
    } catch {
      if (!this.grace.lasts()) return 'uncounted';
    }
    this.streams.set(lease, keyId);
    return lease;
  }

  private releaseStream(lease: string, keyId: string): void {
    this.streams.delete(lease);
    this.behind(this.store.releaseStream(lease, keyId));
  }

  private held(): { id: string; keyId: string }[] {
    return [...this.streams].map(([id, keyId]) => ({ id, keyId }));
  }

  /** Runs work in the background; if the store is unreachable the next tick retries. */
  private behind(work: Promise<void>): void {
    const task = work.catch(() => {}).finally(() => this.tasks.delete(task));
    this.tasks.add(task);
  }
}

/** A counter that a request of a key has to pass. */
interface KeyCounter {
  readonly kind: 'requests' | 'tokens' | 'budget';
  readonly name: string;
  readonly unit: Unit;
  /** The quantity of a request that it counts. */
  readonly of: 'requests' | keyof Amounts;
  readonly limit: number;
  readonly budget?: KeyBudget;
}

function countersOf({ id, requestsPerMinute, tokensPerMinute, budgets }: KeyEntry): KeyCounter[] {
  const perMinute = (kind: 'requests' | 'tokens', limit: number): KeyCounter => ({
    kind,
    name: `${kind}:${id}`,
    unit: 'minute',
    of: kind,
    limit,
  });
  return [
    ...budgets.map((budget): KeyCounter => {
      const { counter, period, unit, limit } = budget;
      return { kind: 'budget', name: counter, unit: period, of: unit, limit, budget };
    }),
    ...(requestsPerMinute === undefined ? [] : [perMinute('requests', requestsPerMinute)]),
    ...(tokensPerMinute === undefined ? [] : [perMinute('tokens', Number(tokensPerMinute))]),
  ];
}
