import { join } from 'node:path';
import { CONFIG, type Config } from '@callsmith/config';
import { pendingMigrations } from '@callsmith/data/database';
import { Limiter } from '@callsmith/data/limits';
import { PostgresRecorder } from '@callsmith/data/record';
import { PostgresConfigSnapshot } from '@callsmith/data/snapshot';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import pg from 'pg';

/** Long enough for a busy database, short enough for a health check. */
const TIMEOUT_MS = 2000;

/** The state of this process. */
export interface ReadinessFacts {
  /** Why requests cannot be served; empty: they can. */
  readonly reasons: readonly string[];
  /** What should be fixed, though requests are served. */
  readonly warnings: readonly string[];
}

/**
 * Checks whether requests can be served: not if the database is unreachable for too long, or older than this version.
 */
@Injectable()
export class Readiness implements OnApplicationShutdown {
  private readonly pool: pg.Pool;
  private closing = false;
  private draining = false;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly limiter: Limiter,
    private readonly snapshot: PostgresConfigSnapshot,
    private readonly recorder: PostgresRecorder,
  ) {
    this.pool = new pg.Pool({
      connectionString: config.databaseUrl,
      max: 1,
      connectionTimeoutMillis: TIMEOUT_MS,
      query_timeout: TIMEOUT_MS,
      application_name: 'callsmith readyz',
    });
    this.pool.on('error', () => {}); // a broken idle connection is replaced at the next query
  }

  /** The process is about to stop: load balancers should send no new requests. */
  drain(): void {
    this.draining = true;
  }

  /** What prevents requests from being served, and what does not but should be fixed. */
  async check(): Promise<ReadinessFacts> {
    if (this.closing || this.draining) return { reasons: ['shutting down'], warnings: [] };
    const { pending, away } = await this.database();
    const over = away && this.snapshot.stale;
    return {
      reasons: [
        ...pending.map((name) => `migration ${name} is not applied`),
        ...(over ? ['the database is unreachable, and STORE_GRACE_SECONDS are over: requests are refused'] : []),
      ],
      warnings: [
        ...(away && !over ? ['the database is unreachable: keys and models are served from memory'] : []),
        ...(this.recorder.state.diskFull
          ? ['the disk of the database is full: requests are served, but not recorded']
          : []),
        ...(this.redisAway ? ['Redis is unreachable: for a limited time each gateway enforces limits on its own'] : []),
      ],
    };
  }

  private async database(): Promise<{ pending: readonly string[]; away: boolean }> {
    try {
      const pending = await pendingMigrations(this.pool, join(this.config.root, 'prisma/migrations'));
      return { pending, away: false };
    } catch {
      return { pending: [], away: true };
    }
  }

  private get redisAway(): boolean {
    return this.limiter.redisState?.awaySince !== undefined;
  }

  async onApplicationShutdown(): Promise<void> {
    this.closing = true;
    await this.pool.end();
  }
}
