import { join } from 'node:path';
import { CONFIG, type Config } from '@callsmith/config';
import { Limiter, pendingMigrations } from '@callsmith/data';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import pg from 'pg';

/** Long enough for a busy database, short enough for a prober. */
const TIMEOUT_MS = 2000;

/** Tells why requests cannot be served: the database is away, or its tables are older than this version. */
@Injectable()
export class Readiness implements OnApplicationShutdown {
  private readonly pool: pg.Pool;
  private closing = false;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly limiter: Limiter,
  ) {
    this.pool = new pg.Pool({
      connectionString: config.databaseUrl,
      max: 1,
      connectionTimeoutMillis: TIMEOUT_MS,
      query_timeout: TIMEOUT_MS,
      application_name: 'callsmith readyz',
    });
    this.pool.on('error', () => {}); // an idle connection that broke is replaced at the next question
  }

  /** Empty: ready. */
  async reasons(): Promise<string[]> {
    if (this.closing) return ['shutting down'];
    try {
      const pending = await pendingMigrations(this.pool, join(this.config.root, 'prisma/migrations'));
      return pending.map((name) => `migration ${name} is not applied`);
    } catch {
      return ['database is not reachable'];
    }
  }

  /** What does not keep requests from being served, and should be mended. */
  warnings(): string[] {
    const away = this.limiter.redisState?.awaySince !== undefined;
    return away ? ['redis is not reachable: each gateway counts limits on its own'] : [];
  }

  async onApplicationShutdown(): Promise<void> {
    this.closing = true;
    await this.pool.end();
  }
}
