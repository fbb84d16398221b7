import { CONFIG, type Config } from '@callsmith/config';
import { PrismaService } from '@callsmith/data/database';
import { LIMIT_STORE, Limiter, type LimitStore } from '@callsmith/data/limits';
import { countMcpCall } from '@callsmith/data/mcp';
import { PostgresRecorder, RECORDER, type Recorder } from '@callsmith/data/record';
import { CONFIG_SNAPSHOT, type ConfigSnapshot, PostgresConfigSnapshot } from '@callsmith/data/snapshot';
import { StoredResponses } from '@callsmith/data/stored-responses';
import { PROBE_CLIENT, TRIAL_RUNNER } from '@callsmith/jobs';
import { readServersFile } from '@callsmith/mcp';
import { Inject, Logger, Module, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics } from 'prom-client';
import { McpEndpointHandler } from '../mcp/mcp-endpoint.ts';
import { McpTools } from '../mcp/mcp-tools.ts';
import { RunningCalls } from '../mcp/running-calls.ts';
import { productVersion } from '../product-version.ts';
import type { GenAiEvents } from './observers/genai-events.ts';
import type { GenAiMetrics } from './observers/genai-metrics.ts';
import { type Log, lastContactObserver, logProblem, Metrics, RecentRawCalls, transcribe } from './observers/index.ts';
import { LastContact } from './observers/last-contact.ts';
import type { Tracing } from './observers/traces.ts';
import { serveMetrics } from './observers/workers-metrics.ts';
import { ProbeRequests } from './replay/probe-requests.ts';
import { TrialRequests } from './replay/trial-requests.ts';
import { KeyUsage } from './request/key-usage.ts';
import { ProxyService } from './request/proxy.service.ts';
import { registerRoutes } from './request/register-routes.ts';
import type { McpRoutes } from './request/route-row.ts';
import { registerGauges } from './state-gauges.ts';
import { guarded } from './upstream/connect-rule.ts';
import { UpstreamClient } from './upstream/upstream-client.ts';
import { warmUp } from './warm-up.ts';

const logger = new Logger('proxy');

const log: Log = {
  warn: (fields, message) => logger.warn({ ...fields, say: message }),
  error: (fields, message) => logger.error({ ...fields, say: message }),
};

const reportError = (error: unknown): void =>
  log.error({ error: error instanceof Error ? error.stack : String(error) }, 'unexpected');

const TELEMETRY = Symbol('TELEMETRY');

type TelemetrySignal = Tracing | GenAiMetrics | GenAiEvents;

/** Loads OpenTelemetry only if traces, metrics or events are exported. */
async function telemetryOf({ telemetry, root }: Config): Promise<readonly TelemetrySignal[]> {
  const { tracesUrl, metricsUrl, eventsUrl, protocol, content, openInference } = telemetry;
  const options = {
    protocol,
    productVersion: productVersion(root),
    reportProblem: (message: string) =>
      log.warn({ cause: message }, 'the collector of OTEL_EXPORTER_OTLP_ENDPOINT accepts no traces, metrics or events'),
  };
  const signals: TelemetrySignal[] = [];
  let tracing: Tracing | undefined;
  if (tracesUrl !== undefined) {
    const { startTracing } = await import('./observers/traces.ts');
    tracing = startTracing({ ...options, url: tracesUrl, content, openInference });
    signals.push(tracing);
  }
  if (eventsUrl !== undefined) {
    const { startGenAiEvents } = await import('./observers/genai-events.ts');
    signals.push(startGenAiEvents({ ...options, url: eventsUrl, content, contextOf: tracing?.contextOf }));
  }
  if (metricsUrl !== undefined) {
    const { startGenAiMetrics } = await import('./observers/genai-metrics.ts');
    signals.push(startGenAiMetrics({ ...options, url: metricsUrl }));
  }
  return signals;
}

/** The inference side: routes, request path, observers. */
@Module({
  providers: [
    { provide: TELEMETRY, inject: [CONFIG], useFactory: telemetryOf },
    LastContact,
    Metrics,
    {
      provide: RecentRawCalls,
      inject: [CONFIG],
      useFactory: (config: Config) => new RecentRawCalls(config.toolCallDebugMax),
    },
    {
      provide: UpstreamClient,
      inject: [CONFIG],
      useFactory: ({ proxies }: Config) => new UpstreamClient({ connect: guarded, proxies }),
    },
    {
      provide: StoredResponses,
      inject: [PrismaService, CONFIG],
      useFactory: (prisma: PrismaService, { secretKey, responsesDays: days }: Config) =>
        new StoredResponses(prisma, { secretKey, days, reportError }),
    },
    {
      provide: KeyUsage,
      inject: [PrismaService, LIMIT_STORE, CONFIG],
      useFactory: (prisma: PrismaService, limits: LimitStore, { currency }: Config) =>
        new KeyUsage(prisma, limits, currency),
    },
    {
      provide: ProxyService,
      inject: [
        CONFIG,
        CONFIG_SNAPSHOT,
        RECORDER,
        Metrics,
        RecentRawCalls,
        LastContact,
        UpstreamClient,
        StoredResponses,
        Limiter,
        TELEMETRY,
        PrismaService,
        McpTools,
      ],
      useFactory: (
        config: Config,
        snapshot: ConfigSnapshot,
        recorder: Recorder,
        metrics: Metrics,
        ring: RecentRawCalls,
        contact: LastContact,
        client: UpstreamClient,
        states: StoredResponses,
        limiter: Limiter,
        telemetry: readonly TelemetrySignal[],
        prisma: PrismaService,
        tools: McpTools,
      ) =>
        new ProxyService({
          tools,
          config,
          snapshot,
          client,
          storedResponses: states,
          storedRounds: new StoredResponses(prisma, { secretKey: config.secretKey, days: 1, reportError }),
          limiter,
          observerFactories: [
            transcribe(recorder),
            metrics.observerFactory,
            ring.observerFactory,
            lastContactObserver(contact),
            logProblem(log),
            ...telemetry.map(({ observerFactory }) => observerFactory),
          ],
          reportError,
        }),
    },
    {
      provide: McpTools,
      inject: [CONFIG, PrismaService, LIMIT_STORE, Metrics],
      useFactory: async (
        { mcpServersFile, proxies, secretKey }: Config,
        prisma: PrismaService,
        limits: LimitStore,
        metrics: Metrics,
      ) =>
        new McpTools({
          prisma,
          limits,
          proxies,
          secretKey,
          onCall: (call) => {
            metrics.countToolCall(call);
            // A failure to count a call must not fail the call.
            void countMcpCall(prisma, call).catch(() => {});
          },
          programs: mcpServersFile === undefined ? new Map() : await readServersFile(mcpServersFile),
        }),
    },
    {
      provide: TRIAL_RUNNER,
      inject: [ProxyService, CONFIG_SNAPSHOT],
      useFactory: (proxy: ProxyService, snapshot: ConfigSnapshot) => new TrialRequests(proxy, snapshot),
    },
    {
      provide: PROBE_CLIENT,
      inject: [ProxyService, CONFIG_SNAPSHOT],
      useFactory: (proxy: ProxyService, snapshot: ConfigSnapshot) => new ProbeRequests(proxy, snapshot),
    },
  ],
  exports: [KeyUsage, LastContact, McpTools, Metrics, ProxyService, TRIAL_RUNNER, PROBE_CLIENT],
})
export class ProxyModule implements OnModuleInit, OnApplicationShutdown {
  private readonly mcpEndpoint: McpEndpointHandler;

  constructor(
    private readonly adapter: HttpAdapterHost,
    private readonly proxy: ProxyService,
    private readonly metrics: Metrics,
    private readonly ring: RecentRawCalls,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(CONFIG_SNAPSHOT) private readonly snapshot: ConfigSnapshot,
    private readonly recorder: PostgresRecorder,
    private readonly stores: PostgresConfigSnapshot,
    private readonly limiter: Limiter,
    private readonly usage: KeyUsage,
    private readonly mcp: McpTools,
    @Inject(LIMIT_STORE) limits: LimitStore,
    @Inject(TELEMETRY) private readonly telemetry: readonly TelemetrySignal[],
  ) {
    this.mcpEndpoint = new McpEndpointHandler(mcp, new RunningCalls(limits), config.server.publicUrl);
  }

  onModuleInit(): void {
    warmUp();
    const { proxy, metrics, ring, config, snapshot, recorder, stores, limiter, usage } = this;
    registerRoutes(this.adapter.httpAdapter.getInstance<FastifyInstance>(), {
      config,
      snapshot,
      proxy,
      metrics,
      ring,
      usage,
      mcp: this.mcpRoutes(),
    });
    registerGauges(metrics, { proxy, snapshot: stores, limiter, recorder, root: config.root });
    collectDefaultMetrics({ register: metrics.registry });
    serveMetrics(metrics.registry);
  }

  private mcpRoutes(): McpRoutes {
    const { mcp, mcpEndpoint } = this;
    return {
      functions: async (key) => ({
        object: 'list',
        data: (await mcp.list(key)).map(({ name, description, parameters }) => ({
          type: 'function',
          function: { name, ...(description !== undefined && { description }), parameters },
        })),
      }),
      serve: (request, reply, asker) => mcpEndpoint.serve(request, reply, asker),
    };
  }

  /** Ends running requests immediately. The code that stops the gateway has let them finish before. */
  async onApplicationShutdown(): Promise<void> {
    await this.proxy.stop(0);
    await this.mcpEndpoint.close();
    await this.mcp.close();
    await Promise.all(this.telemetry.map((signal) => signal.stop()));
  }
}
