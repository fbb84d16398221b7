import type { Redis } from 'ioredis';
import { type Lease, type LimitStore, STREAM_LEASE_MS, type Unit, windowBegin, windowEnd } from './limit-store.ts';

// KEYS: the counter. ARGV: want, limit, milliseconds to keep it. Returns granted and used.
const LEASE = `
local had = tonumber(redis.call('GET', KEYS[1]) or '0')
local granted = math.max(0, math.min(tonumber(ARGV[1]), tonumber(ARGV[2]) - had))
if granted > 0 then
  redis.call('INCRBY', KEYS[1], string.format('%.0f', granted))
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
end
return { tostring(granted), tostring(had + granted) }`;

// KEYS: the counter. ARGV: amount, milliseconds to keep it.
const ADD = `
local value = redis.call('INCRBY', KEYS[1], ARGV[1])
if value < 0 then redis.call('SET', KEYS[1], '0') end
redis.call('PEXPIRE', KEYS[1], ARGV[2])`;

// KEYS: the key's leases, scored by when they end. ARGV: now, limit, when this one ends, its id.
const TAKE = `
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[1])
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
redis.call('ZADD', KEYS[1], ARGV[3], ARGV[4])
redis.call('PEXPIRE', KEYS[1], 86400000)
return 1`;

const DAY_MS = 86_400_000;

/** Counters and stream leases in Redis. */
export class RedisLimits implements LimitStore {
  constructor(private readonly redis: Redis) {}

  async lease(name: string, unit: Unit, want: number, limit: number): Promise<Lease> {
    const clock = await this.clock();
    const begins = windowBegin(unit, clock);
    const keptMs = windowEnd(unit, begins) - clock + DAY_MS;
    const [granted, used] = (await this.redis.eval(LEASE, 1, counter(name, begins), want, limit, keptMs)) as [
      string,
      string,
    ];
    return { granted: Number(granted), used: Number(used), begins, clock };
  }

  async add(name: string, unit: Unit, begins: number, amount: number): Promise<void> {
    const keptMs = Math.max(DAY_MS, windowEnd(unit, begins) - Date.now() + DAY_MS);
    await this.redis.eval(ADD, 1, counter(name, begins), amount, keptMs);
  }

  async read(name: string, unit: Unit): Promise<number> {
    const begins = windowBegin(unit, await this.clock());
    return Number((await this.redis.get(counter(name, begins))) ?? 0);
  }

  async acquireStream(leaseId: string, keyId: string, limit: number): Promise<boolean> {
    const clock = await this.clock();
    return (await this.redis.eval(TAKE, 1, streams(keyId), clock, limit, clock + STREAM_LEASE_MS, leaseId)) === 1;
  }

  async runningStreams(keyId: string): Promise<number> {
    return this.redis.zcount(streams(keyId), `(${await this.clock()}`, '+inf');
  }

  async releaseStream(leaseId: string, keyId: string): Promise<void> {
    await this.redis.zrem(streams(keyId), leaseId);
  }

  async renewStreams(leases: readonly { readonly id: string; readonly keyId: string }[]): Promise<void> {
    if (leases.length === 0) return;
    const ends = (await this.clock()) + STREAM_LEASE_MS;
    const pipeline = this.redis.pipeline();
    for (const { id, keyId } of leases) pipeline.zadd(streams(keyId), 'XX', ends, id);
    await pipeline.exec();
  }

  private async clock(): Promise<number> {
    const [seconds, micros] = await this.redis.time();
    return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
  }
}

const counter = (name: string, begins: number): string => `callsmith:counter:${name}:${begins}`;
const streams = (keyId: string): string => `callsmith:streams:${keyId}`;
