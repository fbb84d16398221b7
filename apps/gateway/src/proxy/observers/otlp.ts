import { DiagLogLevel, diag } from '@opentelemetry/api';
import { getNumberFromEnv } from '@opentelemetry/core';
import { OTLPExporterBase } from '@opentelemetry/otlp-exporter-base';
import { convertLegacyHttpOptions, createOtlpHttpExportDelegate } from '@opentelemetry/otlp-exporter-base/node-http';
import {
  JsonLogsSerializer,
  JsonMetricsSerializer,
  JsonTraceSerializer,
  LogsExporterMetricsHelper,
  MetricsExporterMetricsHelper,
  ProtobufLogsSerializer,
  ProtobufMetricsSerializer,
  ProtobufTraceSerializer,
  TraceExporterMetricsHelper,
} from '@opentelemetry/otlp-transformer';
import { detectResources, envDetector, type Resource, resourceFromAttributes } from '@opentelemetry/resources';
import type { LogRecordExporter } from '@opentelemetry/sdk-logs';
import type { PushMetricExporter, ResourceMetrics } from '@opentelemetry/sdk-metrics';
import type { SpanExporter } from '@opentelemetry/sdk-trace';

/** How a collector is reached. */
export interface CollectorOptions {
  /** Where the signal goes, its path included, e.g. `http://collector:4318/v1/traces`. */
  readonly url: string;
  readonly protocol?: 'http/json' | 'http/protobuf';
  readonly productVersion: string;
  /** Called at most once a minute while the collector accepts nothing. */
  readonly reportProblem: (message: string) => void;
}

/** Something that sends to a collector. */
export interface Signal {
  /** Sends what is buffered, for at most 2 s. */
  stop(): Promise<void>;
}

const lastSendMs = 2_000;

/** Sends spans. Headers, timeout, compression and certificates: `OTEL_EXPORTER_OTLP_*` of the environment. */
export function spanExporter(options: CollectorOptions): SpanExporter {
  const [serializer, form] =
    options.protocol === 'http/protobuf' ? [ProtobufTraceSerializer, protobuf] : [JsonTraceSerializer, json];
  const http = convertLegacyHttpOptions({ url: options.url }, 'TRACES', 'v1/traces', form);
  return new OTLPExporterBase(
    createOtlpHttpExportDelegate(http, serializer, 'otlp_http_span_exporter', TraceExporterMetricsHelper, undefined),
  );
}

/** Sends metrics, counted from the start. Settings as for spans. */
export function metricExporter(options: CollectorOptions): PushMetricExporter {
  const [serializer, form] =
    options.protocol === 'http/protobuf' ? [ProtobufMetricsSerializer, protobuf] : [JsonMetricsSerializer, json];
  const http = convertLegacyHttpOptions({ url: options.url }, 'METRICS', 'v1/metrics', form);
  return new OTLPExporterBase<ResourceMetrics>(
    createOtlpHttpExportDelegate(
      http,
      serializer,
      'otlp_http_metric_exporter',
      MetricsExporterMetricsHelper,
      undefined,
    ),
  );
}

/** Sends events, which are log records with a name. Settings as for spans. */
export function eventExporter(options: CollectorOptions): LogRecordExporter {
  const [serializer, form] =
    options.protocol === 'http/protobuf' ? [ProtobufLogsSerializer, protobuf] : [JsonLogsSerializer, json];
  const http = convertLegacyHttpOptions({ url: options.url }, 'LOGS', 'v1/logs', form);
  return new OTLPExporterBase(
    createOtlpHttpExportDelegate(http, serializer, 'otlp_http_log_exporter', LogsExporterMetricsHelper, undefined),
  );
}

const json = { 'Content-Type': 'application/json' };
const protobuf = { 'Content-Type': 'application/x-protobuf' };

/**
 * The sender: by `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES`, else `callsmith`; each process is a separate
 * instance.
 */
export const resourceOf = (productVersion: string): Resource =>
  resourceFromAttributes({
    'service.name': 'callsmith',
    'service.version': productVersion,
    'service.instance.id': instance,
  }).merge(detectResources({ detectors: [envDetector] }));

const instance = crypto.randomUUID();

/** A number of at least 1 from the environment; undefined: not set. */
export function countFromEnv(name: string): number | undefined {
  const count = getNumberFromEnv(name);
  return count !== undefined && count >= 1 ? Math.round(count) : undefined;
}

/** Forwards the SDK's errors, once a minute. */
export function reportProblems(reportProblem: (message: string) => void): void {
  let next = 0;
  const error = (message: string): void => {
    if (performance.now() < next) return;
    next = performance.now() + 60_000;
    reportProblem(message.slice(0, 300));
  };
  const nothing = (): void => {};
  const logger = { error, warn: nothing, info: nothing, debug: nothing, verbose: nothing };
  diag.setLogger(logger, { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true });
}

/** Ends a provider; it may take 2 s to send what waits. */
export const shutDown = (provider: { shutdown(): Promise<void> }): Promise<void> =>
  Promise.race([
    provider.shutdown().catch(() => {}),
    new Promise<void>((done) => void setTimeout(done, lastSendMs).unref()),
  ]);
