import { Redis } from 'ioredis';

/** A gateway's one connection to the Redis that counts, and whether it answers. Comes back by itself. */
export class RedisConnection {
  readonly redis: Redis;
  private away: Date | undefined = new Date();

  constructor(url: string) {
    this.redis = new Redis(url, { commandTimeout: 2_000, maxRetriesPerRequest: 1 });
    // It is tried again by itself; meanwhile requests go on and are counted in each gateway.
    this.redis.on('error', () => {});
    this.redis.on('ready', () => {
      this.away = undefined;
    });
    this.redis.on('close', () => {
      this.away ??= new Date();
    });
  }

  /** Undefined: it answers. */
  awaySince(): Date | undefined {
    return this.away;
  }

  close(): void {
    this.redis.disconnect();
  }
}
