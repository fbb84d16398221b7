import type { Context } from '@opentelemetry/api';
import { ROOT_CONTEXT, TraceFlags, trace } from '@opentelemetry/api';
import { type AnyValueMap, type Logger, SeverityNumber } from '@opentelemetry/api-logs';
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs';
import { endOf, type RequestRecord } from '../record/request-record.ts';
import type { ObserverFactory } from './observer.ts';
import {
  type CollectorOptions,
  countFromEnv,
  eventExporter,
  reportProblems,
  resourceOf,
  type Signal,
  shutDown,
} from './otlp.ts';
import { requestAttributes } from './span-attributes.ts';
import { structuredContent } from './span-content.ts';

/** The options of events. */
interface EventOptions extends CollectorOptions {
  /** Message content is included, secrets masked, of teams whose bodies are stored. */
  readonly content: boolean;
  /** The context with a request's span; absent without traces. */
  readonly contextOf: ((record: RequestRecord) => Context | undefined) | undefined;
}

/** Events that are sent to a collector. */
export interface GenAiEvents extends Signal {
  readonly observerFactory: ObserverFactory;
}

/**
 * The two events of OpenTelemetry's conventions for generative AI, as log records of the request's trace: its details, and
 * the exception if it failed: https://github.com/open-telemetry/semantic-conventions-genai (client inference, exceptions).
 * An error's text is left out, because it may quote message content; its code is included.
 */
export function startGenAiEvents(options: EventOptions): GenAiEvents {
  reportProblems(options.reportProblem);
  const maxQueueSize = countFromEnv('OTEL_BLRP_MAX_QUEUE_SIZE') ?? 2048;
  const provider = new LoggerProvider({
    resource: resourceOf(options.productVersion),
    processors: [
      new BatchLogRecordProcessor({
        exporter: eventExporter(options),
        scheduledDelayMillis: countFromEnv('OTEL_BLRP_SCHEDULE_DELAY') ?? 1_000,
        exportTimeoutMillis: countFromEnv('OTEL_BLRP_EXPORT_TIMEOUT') ?? 30_000,
        maxQueueSize,
        maxExportBatchSize: Math.min(maxQueueSize, countFromEnv('OTEL_BLRP_MAX_EXPORT_BATCH_SIZE') ?? 512),
      }),
    ],
  });
  const logger = provider.getLogger('callsmith', options.productVersion);
  return {
    observerFactory: (record) => ({ done: () => emit(logger, record, options) }),
    stop: () => shutDown(provider),
  };
}

function emit(logger: Logger, record: RequestRecord, { content, contextOf }: EventOptions): void {
  const { at, startedAt } = record.request;
  const context = contextOf?.(record) ?? ROOT_CONTEXT;
  const span = trace.getSpanContext(context);
  const timestamp = at.getTime() + (endOf(record.response) - startedAt);
  const attributes = requestAttributes(record) as AnyValueMap;
  // The details belong to a trace: without a sampled trace they are not sent.
  if (span === undefined || (span.traceFlags & TraceFlags.SAMPLED) !== 0)
    logger.emit({
      eventName: 'gen_ai.client.inference.operation.details',
      severityNumber: SeverityNumber.DEBUG,
      timestamp,
      context,
      attributes: content ? { ...attributes, ...(structuredContent(record) as AnyValueMap) } : attributes,
    });
  const failure = attributes['error.type'];
  if (failure !== undefined)
    logger.emit({
      eventName: 'gen_ai.client.operation.exception',
      severityNumber: SeverityNumber.WARN,
      timestamp,
      context,
      attributes: { ...attributes, 'exception.type': failure },
    });
}
