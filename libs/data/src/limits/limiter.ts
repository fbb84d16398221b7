import { newId } from '../ids.ts';
import type { KeyEntry } from '../snapshot/config-snapshot.ts';
import { Grace } from './grace.ts';
import { type LimitStore, STREAM_LEASE_MS, type Unit } from './limit-store.ts';
import { type SliceResult, Slices } from './slices.ts';

/** Which limit a request met. */
export type LimitKind = 'requests' | 'tokens' | 'streams' | 'budget';

const GRACE_MS = 600_000;

/** A request that may go on, and what is to be told when it has ended. */
export interface Reservation {
  readonly ok: true;
  /** To be called once, when the turn has ended, whichever way: with the tokens it used, aborted ones included. */
  finish(usedTokens: number): void;
}

/** A request that may not. */
export interface Refused {
  readonly ok: false;
  /** `uncounted`: the store of the counters has been away for too long. */
  readonly kind: LimitKind | 'uncounted';
  readonly limit: number;
  /** When it may work again; undefined: when another stream ends. */
  readonly resetsAt: Date | undefined;
}

/** What is reserved where a request does not say `max_tokens`. */
export const DEFAULT_MAX_TOKENS = 4096;

/** Limits and budgets of keys, counted once for all gateways (D-30). */
export class Limiter {
  private readonly slices: Slices;
  private readonly streams = new Map<string, string>();
  private timer: NodeJS.Timeout | undefined;
  private readonly tasks = new Set<Promise<void>>();

  private readonly grace: Grace;

  /**
   * `redis`: the line to the Redis that `store` is in; `close` is called at the end of `stop`. `graceMs`: how long
   * requests of limited keys go on while the store is away; 10 minutes.
   */
  constructor(
    private readonly store: LimitStore,
    private readonly redis?: { close(): void; awaySince(): Date | undefined },
    graceMs = GRACE_MS,
  ) {
    this.grace = new Grace(graceMs);
    this.slices = new Slices(store, this.grace);
  }

  /** How the Redis that counts is doing; undefined: Postgres counts. */
  get redisState(): { readonly awaySince: Date | undefined } | undefined {
    return this.redis && { awaySince: this.redis.awaySince() };
  }

  /** The used shares of budgets of keys that were at work here, by the key's id. */
  budgetShares(): ReadonlyMap<string, number> {
    const budgets = [...this.slices.shares()].filter(([name]) => name.startsWith('budget:'));
    return new Map(budgets.map(([name, share]) => [name.slice('budget:'.length), share]));
  }

  /** Begins to keep stream leases and to give idle slices back. */
  start(): void {
    let ticks = 0;
    this.timer = setInterval(() => {
      ticks += 1;
      this.behind(this.slices.tidy());
      if (ticks % (STREAM_LEASE_MS / 3_000) === 0) this.behind(this.store.renewStreams(this.held()));
    }, 1_000).unref();
  }

  /** Gives everything back. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all(this.tasks);
    await this.slices.tidy(true).catch(() => {});
    for (const { id, keyId } of this.held()) await this.store.releaseStream(id, keyId).catch(() => {});
    this.redis?.close();
  }

  /**
   * Counts a request against its key's limits and reserves its tokens (the prompt's estimate plus `max_tokens`). A key
   * without limits costs nothing. Never throws: while the store is away requests go on and are counted here, until the
   * grace is over.
   */
  async reserve(key: KeyEntry, ask: { readonly tokens: number }): Promise<Reservation | Refused> {
    const undo: ((usedTokens: number) => void)[] = [];
    const refuse = (kind: Refused['kind'], limit: number, resetsAt: Date | undefined): Refused => {
      for (const step of undo) step(0);
      return { ok: false, kind, limit, resetsAt };
    };
    for (const { kind, unit, limit } of countersOf(key)) {
      const name = `${kind}:${key.id}`;
      const need = kind === 'requests' ? 1 : ask.tokens;
      const taken: SliceResult = await this.slices.take(name, unit, need, limit);
      if (!taken.ok && 'away' in taken) return refuse('uncounted', limit, undefined);
      if (!taken.ok) return refuse(kind, limit, new Date(taken.resetsAt));
      if (kind === 'requests') continue;
      undo.push((used) => this.slices.finish(name, unit, taken, used));
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
      finish(usedTokens) {
        if (finished) return;
        finished = true;
        for (const step of undo) step(usedTokens);
      },
    };
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

  /** Work that nobody waits for; a store that is away is tried again by the next tick. */
  private behind(work: Promise<void>): void {
    const task = work.catch(() => {}).finally(() => this.tasks.delete(task));
    this.tasks.add(task);
  }
}

function countersOf(key: KeyEntry): { kind: 'requests' | 'tokens' | 'budget'; unit: Unit; limit: number }[] {
  const { requestsPerMinute, tokensPerMinute, tokenBudget, budgetPeriod } = key;
  return [
    ...(tokenBudget === undefined
      ? []
      : [{ kind: 'budget' as const, unit: budgetPeriod ?? ('month' as const), limit: Number(tokenBudget) }]),
    ...(requestsPerMinute === undefined
      ? []
      : [{ kind: 'requests' as const, unit: 'minute' as const, limit: requestsPerMinute }]),
    ...(tokensPerMinute === undefined
      ? []
      : [{ kind: 'tokens' as const, unit: 'minute' as const, limit: Number(tokensPerMinute) }]),
  ];
}
