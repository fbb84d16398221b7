import { Redis } from 'ioredis';

/** How a Redis server is. */
export interface RedisFacts {
  readonly version: string;
  /** What it does when its memory is full, e.g. `noeviction`; undefined: it does not tell. */
  readonly evicts: string | undefined;
  /** How far its clock is ahead of ours, in milliseconds. */
  readonly aheadMs: number;
}

const TIMEOUT_MS = 5_000;

/** Looks at a Redis server. Throws where it cannot be asked. */
export async function inspectRedis(url: string): Promise<RedisFacts> {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: TIMEOUT_MS,
    commandTimeout: TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let why: Error | undefined; // the connecting call itself says only that the connection is closed
  redis.on('error', (error) => {
    why = error;
  });
  try {
    await redis.connect();
    const asked = Date.now();
    const [seconds, micros] = await redis.time();
    const middle = (asked + Date.now()) / 2;
    const info = await redis.info();
    const of = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
    const aheadMs = Number(seconds) * 1000 + Number(micros) / 1000 - middle;
    return { version: of('redis_version') ?? 'unknown', evicts: of('maxmemory_policy'), aheadMs };
  } catch (error) {
    throw why ?? error;
  } finally {
    redis.disconnect();
  }
}
