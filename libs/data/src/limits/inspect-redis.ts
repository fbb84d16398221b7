import { Redis } from 'ioredis';

/** The state of a Redis server. */
export interface RedisFacts {
  readonly version: string;
  /** Its policy for full memory, e.g. `noeviction`; undefined: unknown. */
  readonly evicts: string | undefined;
  /** How far its clock is ahead of this machine's, in milliseconds. */
  readonly aheadMs: number;
}

const TIMEOUT_MS = 5_000;

/** Inspects a Redis server. Throws if it is unreachable. */
export async function inspectRedis(url: string): Promise<RedisFacts> {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: TIMEOUT_MS,
    commandTimeout: TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let why: Error | undefined; // the connecting call's own error only says that the connection is closed
  redis.on('error', (error) => {
    why = error;
  });
  try {
    await redis.connect();
    const startedAt = Date.now();
    const [seconds, micros] = await redis.time();
    const middle = (startedAt + Date.now()) / 2;
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
