import { Redis } from 'ioredis';

/** A gateway's only connection to the counting Redis, and whether it works. Reconnects automatically. */
export class RedisConnection {
  readonly redis: Redis;
  private away: Date | undefined = new Date();

  constructor(url: string) {
    this.redis = new Redis(url, { commandTimeout: 2_000, maxRetriesPerRequest: 1 });
    // It reconnects automatically; meanwhile requests continue and are counted in each gateway.
    this.redis.on('error', () => {});
    this.redis.on('ready', () => {
      this.away = undefined;
    });
    this.redis.on('close', () => {
      this.away ??= new Date();
    });
  }

  /** Undefined: it works. */
  awaySince(): Date | undefined {
    return this.away;
  }

  close(): void {
    this.redis.disconnect();
  }
}
