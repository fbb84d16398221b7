import {
  type DynamicModule,
  Global,
  Inject,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type Provider,
} from '@nestjs/common';
import { Alerts } from './alerts/alerts.ts';
import type { MailServer } from './alerts/send-mail.ts';
import { PrismaService } from './database/prisma.ts';
import { newId } from './ids.ts';
import { BoundedStore } from './limits/bounded-store.ts';
import { LIMIT_STORE, type LimitStore } from './limits/limit-store.ts';
import { Limiter } from './limits/limiter.ts';
import { PostgresLimits } from './limits/postgres-limits.ts';
import { RedisConnection } from './limits/redis-connection.ts';
import { RedisLimits } from './limits/redis-limits.ts';
import { PostgresRecorder } from './record/postgres-recorder.ts';
import { RECORDER } from './record/turn-record.ts';
import { CONFIG_SNAPSHOT } from './snapshot/config-snapshot.ts';
import { PostgresConfigSnapshot } from './snapshot/postgres-config-snapshot.ts';
import type { OutgoingProxies } from './upstreams/outgoing-proxy.ts';
import { UpstreamWatch } from './upstreams/upstream-watch.ts';

const MAX_WAIT_MS = Symbol('PATIENCE_MS');
const REDIS_LINE = Symbol('REDIS_LINE');

export interface DataOptions {
  readonly databaseUrl: string;
  readonly secretKey: string;
  /** Reports messages for the operator. */
  readonly report?: (message: string) => void;
  /** Undefined: on until a real upstream exists. */
  readonly demo: boolean | undefined;
  /** The address of this gateway's own demo model server; undefined: that of the tables. */
  readonly demoUrl?: string | undefined;
  readonly productVersion: string;
  /** The dialect of a model id by the table of model ids. */
  readonly dialectOf: (modelId: string) => string | undefined;
  /** Undefined: limits are counted in Postgres. */
  readonly redisUrl?: string | undefined;
  /** How long keys and models are served from memory while the database is unreachable; 10 minutes. */
  readonly graceMs?: number;
  /** ISO 4217, of prices. */
  readonly currency: string;
  /** The server that sends alerts by e-mail; undefined: none. */
  readonly mail?: MailServer | undefined;
  /** The gateway's own address, for links in alerts. */
  readonly publicUrl?: string | undefined;
  /** The proxies for requests to upstreams. */
  readonly proxies?: OutgoingProxies;
  /** How long the start waits for upstreams to answer; 5 s. */
  readonly maxWaitMs?: number;
}

/** The stores of a gateway or worker: tables, config snapshot, record, upstream watch. Global. */
@Global()
@Module({})
export class DataModule implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    private readonly prisma: PrismaService,
    private readonly snapshot: PostgresConfigSnapshot,
    private readonly recorder: PostgresRecorder,
    private readonly watch: UpstreamWatch,
    private readonly limiter: Limiter,
    @Inject(MAX_WAIT_MS) private readonly maxWaitMs: number,
  ) {}

  static forRoot(options: DataOptions): DynamicModule {
    return {
      module: DataModule,
      providers: [
        ...storeProviders(options),
        ...limitProviders(options),
        alertProvider(options),
        { provide: MAX_WAIT_MS, useValue: options.maxWaitMs ?? 5_000 },
      ],
      exports: [
        PrismaService,
        PostgresConfigSnapshot,
        CONFIG_SNAPSHOT,
        PostgresRecorder,
        RECORDER,
        UpstreamWatch,
        LIMIT_STORE,
        Limiter,
        Alerts,
      ],
    };
  }

  async onApplicationBootstrap(): Promise<void> {
    this.limiter.start();
    await this.watch.start(this.maxWaitMs);
    await this.snapshot.refresh();
  }

  /** After the last stream has ended: pending writes are finished, then the connections are closed. */
  async onApplicationShutdown(): Promise<void> {
    await this.watch.stop();
    await this.limiter.stop();
    await this.recorder.stop();
    await this.snapshot.stop();
    await this.prisma.$disconnect();
  }
}

/** The tables, their in-memory snapshot, the record, and the health checks of upstreams. */
function storeProviders(options: DataOptions): Provider[] {
  const { databaseUrl, secretKey } = options;
  return [
    { provide: PrismaService, useFactory: () => new PrismaService(databaseUrl) },
    {
      provide: PostgresConfigSnapshot,
      inject: [PrismaService],
      useFactory: async (prisma: PrismaService) => {
        const snapshot = new PostgresConfigSnapshot(prisma, {
          databaseUrl,
          secretKey,
          demo: options.demo,
          demoUrl: options.demoUrl,
          dialectOf: options.dialectOf,
          graceMs: options.graceMs ?? 600_000,
          pollMs: 3_000,
        });
        await snapshot.start();
        return snapshot;
      },
    },
    { provide: CONFIG_SNAPSHOT, useExisting: PostgresConfigSnapshot },
    {
      provide: PostgresRecorder,
      inject: [PostgresConfigSnapshot],
      useFactory: (snapshot: PostgresConfigSnapshot) =>
        new PostgresRecorder({
          databaseUrl,
          productVersion: options.productVersion,
          settings: () => snapshot.settings,
          onAway: (problem) => options.report?.(`Requests cannot be recorded right now; retrying: ${problem}`),
        }),
    },
    { provide: RECORDER, useExisting: PostgresRecorder },
    {
      provide: UpstreamWatch,
      inject: [PrismaService],
      useFactory: (prisma: PrismaService) => new UpstreamWatch(prisma, secretKey, options.proxies),
    },
  ];
}

/** Where limits are counted: in Redis if there is one, else in Postgres. */
const limitProviders = ({ redisUrl, graceMs }: DataOptions): Provider[] => [
  {
    provide: REDIS_LINE,
    useFactory: () => (redisUrl === undefined ? undefined : new RedisConnection(redisUrl)),
  },
  {
    provide: LIMIT_STORE,
    inject: [PrismaService, { token: REDIS_LINE, optional: true }],
    useFactory: (prisma: PrismaService, line?: RedisConnection) =>
      line ? new BoundedStore(new RedisLimits(line.redis)) : new PostgresLimits(prisma, newId('lease')),
  },
  {
    provide: Limiter,
    inject: [LIMIT_STORE, { token: REDIS_LINE, optional: true }],
    useFactory: (store: LimitStore, line?: RedisConnection) => new Limiter(store, line, graceMs),
  },
];

const alertProvider = ({ secretKey, currency, publicUrl, mail }: DataOptions): Provider => ({
  provide: Alerts,
  inject: [PrismaService, LIMIT_STORE],
  useFactory: (prisma: PrismaService, limits: LimitStore) =>
    new Alerts(prisma, limits, {
      secretKey,
      currency,
      publicUrl,
      mail,
    }),
});
