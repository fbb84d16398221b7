import { CONFIG, type Config } from '@callsmith/config';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Redis } from 'ioredis';

/** Whether a store answers; `since`: since when it does not. */
export interface StoreState {
  readonly ok: boolean;
  readonly since: string | null;
}

/** Watches Redis on a connection of its own, which asks for nothing and comes back by itself. */
@Injectable()
export class RedisWatch implements OnApplicationShutdown {
  readonly #redis: Redis | undefined;
  #awaySince: Date | undefined = new Date();

  constructor(@Inject(CONFIG) { redisUrl }: Config) {
    if (redisUrl === undefined) return;
    this.#redis = new Redis(redisUrl, { connectionName: 'callsmith watch', maxRetriesPerRequest: 1 });
    this.#redis.on('ready', () => {
      this.#awaySince = undefined;
    });
    this.#redis.on('close', () => {
      this.#awaySince ??= new Date();
    });
    this.#redis.on('error', () => {}); // told by the state
  }

  /** Null: there is no Redis in this installation. */
  get state(): StoreState | null {
    if (!this.#redis) return null;
    return { ok: this.#awaySince === undefined, since: this.#awaySince?.toISOString() ?? null };
  }

  onApplicationShutdown(): void {
    this.#redis?.disconnect();
  }
}
