import type { Attributes, Meter } from '@opentelemetry/api';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { endOf, type RequestRecord } from '../record/request-record.ts';
import type { ObserverFactory } from './observer.ts';
import {
  type CollectorOptions,
  countFromEnv,
  metricExporter,
  reportProblems,
  resourceOf,
  type Signal,
  shutDown,
} from './otlp.ts';
import { commonAttributes, firstChunkSeconds, tokenCounts } from './span-attributes.ts';

/** Metrics that are sent to a collector. */
export interface GenAiMetrics extends Signal {
  readonly observerFactory: ObserverFactory;
}

/** Seconds: 0.01 doubling to 81.92. */
const secondsBuckets = Array.from({ length: 14 }, (_, power) => 0.01 * 2 ** power);
/** Tokens: 1, 4, 16 … 67108864. */
const tokenBuckets = Array.from({ length: 14 }, (_, power) => 4 ** power);

/**
 * The client metrics of OpenTelemetry's semantic conventions for generative AI, pushed to a collector every
 * `OTEL_METRIC_EXPORT_INTERVAL` (60 s): https://github.com/open-telemetry/semantic-conventions-genai (client inference).
 */
export function startGenAiMetrics(options: CollectorOptions): GenAiMetrics {
  reportProblems(options.reportProblem);
  const interval = countFromEnv('OTEL_METRIC_EXPORT_INTERVAL') ?? 60_000;
  const provider = new MeterProvider({
    resource: resourceOf(options.productVersion),
    readers: [
      new PeriodicExportingMetricReader({
        exporter: metricExporter(options),
        exportIntervalMillis: interval,
        exportTimeoutMillis: Math.min(interval, countFromEnv('OTEL_METRIC_EXPORT_TIMEOUT') ?? 30_000),
      }),
    ],
  });
  const instruments = instrumentsOf(provider.getMeter('callsmith', options.productVersion));
  return {
    observerFactory: (record) => new RequestMetrics(instruments, record),
    stop: () => shutDown(provider),
  };
}

type Instruments = ReturnType<typeof instrumentsOf>;

function instrumentsOf(meter: Meter) {
  const prefix = 'gen_ai.client.inference';
  const histogram = (name: string, unit: string, explicitBucketBoundaries: number[], description: string) =>
    meter.createHistogram(`${prefix}.${name}`, { unit, description, advice: { explicitBucketBoundaries } });
  const tokens = (name: string, description: string) =>
    meter.createCounter(`${prefix}.usage.${name}`, { unit: '{token}', description });
  return {
    duration: histogram('duration', 's', secondsBuckets, 'Time of a request.'),
    firstChunk: histogram(
      'time_to_first_chunk',
      's',
      secondsBuckets,
      'Time to the first output of a streamed request.',
    ),
    perChunk: histogram('time_per_output_chunk', 's', secondsBuckets, 'Time between two chunks of a stream.'),
    inputTokens: histogram('operation.input_tokens', '{token}', tokenBuckets, 'Input tokens of a request.'),
    outputTokens: histogram('operation.output_tokens', '{token}', tokenBuckets, 'Output tokens of a request.'),
    input: tokens('input_tokens', 'Input tokens, those from a cache included.'),
    output: tokens('output_tokens', 'Output tokens, reasoning included.'),
    cacheRead: tokens('cache_read.input_tokens', 'Input tokens that came from a cache.'),
    cacheWrite: tokens('cache_write.input_tokens', 'Input tokens that were written into a cache.'),
    reasoning: tokens('reasoning.output_tokens', 'Output tokens of reasoning.'),
  };
}

class RequestMetrics {
  constructor(
    private readonly instruments: Instruments,
    private readonly record: RequestRecord,
  ) {}

  /** The time between a stream's chunks; a whole response has one payload, and none. */
  attempt() {
    const { perChunk } = this.instruments;
    let attributes: Attributes | undefined;
    let last: number | undefined;
    return {
      payload: (): void => {
        const now = performance.now();
        if (last !== undefined) perChunk.record((now - last) / 1000, (attributes ??= commonAttributes(this.record)));
        last = now;
      },
    };
  }

  done(): void {
    const { instruments, record } = this;
    const { request, response } = record;
    const attributes = commonAttributes(record);
    instruments.duration.record((endOf(response) - request.startedAt) / 1000, attributes);
    const first = firstChunkSeconds(record);
    if (request.streamed && first !== undefined) instruments.firstChunk.record(first, attributes);
    const tokens = tokenCounts(record);
    if (tokens === undefined) return;
    instruments.inputTokens.record(tokens.input, attributes);
    instruments.outputTokens.record(tokens.output, attributes);
    const counted = { ...attributes, 'gen_ai.token.modality': 'unknown' };
    for (const name of ['input', 'output', 'cacheRead', 'cacheWrite', 'reasoning'] as const)
      if (tokens[name] !== undefined) instruments[name].add(tokens[name], counted);
  }
}
