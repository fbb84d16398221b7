import {
  type Context,
  defaultTextMapGetter,
  defaultTextMapSetter,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { getStringListFromEnv, W3CTraceContextPropagator } from '@opentelemetry/core';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { AgentRound, UpstreamRequest } from '../record/attempt-log.ts';
import { endOf, type RequestRecord } from '../record/request-record.ts';
import type { ObserverFactory } from './observer.ts';
import { openInferenceAttributes, openInferenceKind } from './openinference.ts';
import {
  type CollectorOptions,
  countFromEnv,
  reportProblems,
  resourceOf,
  type Signal,
  shutDown,
  spanExporter,
} from './otlp.ts';
import { samplerFromEnv } from './sampler.ts';
import { knownAttributes, operationOf, requestAttributes, serverOf } from './span-attributes.ts';
import { contentAttributes } from './span-content.ts';

/** Options of traces. */
export interface TracingOptions extends CollectorOptions {
  /** Message content is included, secrets masked, of teams whose bodies are stored. */
  readonly content?: boolean;
  /** OpenInference's attributes are added to those of OpenTelemetry. */
  readonly openInference?: boolean;
}

/** Spans that are sent to a collector. */
export interface Tracing extends Signal {
  readonly observerFactory: ObserverFactory;
  /** The context with a request's span in it, from the request's beginning on. */
  readonly contextOf: (record: RequestRecord) => Context | undefined;
}

const gatherMs = 1_000;
/** As many as the messages of a long conversation need in OpenInference's form. */
const mostAttributes = 4096;

/**
 * One span for each request, child of its client's, named and described by OpenTelemetry's semantic conventions for
 * generative AI, with a child for each request to a model server and each tool that ran. Without `content` a span
 * contains what the record's row contains: never a body, a header or an error's text. Only this module,
 * `genai-metrics.ts` and `genai-events.ts` load OpenTelemetry.
 */
export function startTracing(options: TracingOptions): Tracing {
  const { productVersion } = options;
  reportProblems(options.reportProblem);
  const valueLength =
    countFromEnv('OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT') ?? countFromEnv('OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT');
  const provider = new TracerProvider({
    resource: resourceOf(productVersion),
    sampler: samplerFromEnv(),
    spanLimits: {
      attributeCountLimit:
        countFromEnv('OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT') ?? countFromEnv('OTEL_ATTRIBUTE_COUNT_LIMIT') ?? mostAttributes,
      ...(valueLength !== undefined && { attributeValueLengthLimit: valueLength }),
    },
    spanProcessors: [new BatchSpanProcessor({ exporter: spanExporter(options), ...batches() })],
  });
  const tracer = provider.getTracer('callsmith', productVersion);
  const propagators = getStringListFromEnv('OTEL_PROPAGATORS');
  const joins = !propagators?.length || propagators.includes('tracecontext');
  const spans = new WeakMap<RequestRecord, RequestSpan>();
  return {
    observerFactory: (record) => {
      const span = new RequestSpan(tracer, record, { ...options, joins });
      spans.set(record, span);
      return span;
    },
    contextOf: (record) => spans.get(record)?.around,
    stop: () => shutDown(provider),
  };
}

/** `OTEL_BSP_*` */
function batches() {
  const maxQueueSize = countFromEnv('OTEL_BSP_MAX_QUEUE_SIZE') ?? 2048;
  return {
    scheduledDelayMillis: countFromEnv('OTEL_BSP_SCHEDULE_DELAY') ?? gatherMs,
    exportTimeoutMillis: countFromEnv('OTEL_BSP_EXPORT_TIMEOUT') ?? 30_000,
    maxQueueSize,
    maxExportBatchSize: Math.min(maxQueueSize, countFromEnv('OTEL_BSP_MAX_EXPORT_BATCH_SIZE') ?? 512),
  };
}

const propagator = new W3CTraceContextPropagator();

/**
 * The span of one request, with its children, which start with each operation, so that model servers' own spans belong
 * to them.
 */
class RequestSpan {
  private readonly span: Span;
  /** The context with the span, for its children. */
  readonly around: Context;
  private readonly children: { readonly request: UpstreamRequest; readonly span: Span }[] = [];

  constructor(
    private readonly tracer: Tracer,
    private readonly record: RequestRecord,
    private readonly options: TracingOptions & { readonly joins: boolean },
  ) {
    const { request } = record;
    const parent = options.joins
      ? propagator.extract(ROOT_CONTEXT, request.traceHeaders, defaultTextMapGetter)
      : ROOT_CONTEXT;
    this.span = tracer.startSpan(operationOf(request.path), { kind: SpanKind.CLIENT, startTime: request.at }, parent);
    this.around = trace.setSpan(parent, this.span);
  }

  upstreamRequest(request: UpstreamRequest): Record<string, string> | undefined {
    const { route, purpose, sentAt } = request;
    const name = `${purpose} ${route.upstream.name}`;
    const span = this.tracer.startSpan(name, { kind: SpanKind.CLIENT, startTime: this.at(sentAt) }, this.around);
    this.children.push({ request, span });
    if (!this.options.joins) return undefined;
    const headers: Record<string, string> = {};
    propagator.inject(trace.setSpan(this.around, span), headers, defaultTextMapSetter);
    return headers;
  }

  done(): void {
    const { record, span, options } = this;
    const { request, response, attempts } = record;
    const end = this.at(endOf(response));
    this.children.forEach((child, index) => {
      this.endRequest(child, index + 1);
    });
    if (!span.isRecording()) return;
    for (const run of attempts.rounds?.flatMap(({ runs }) => runs) ?? []) this.addTool(run);
    const attributes = requestAttributes(record);
    span.updateName([operationOf(request.path), request.model?.name].filter(Boolean).join(' '));
    span.setAttributes(attributes);
    if (options.openInference) span.setAttributes(openInferenceAttributes(record, options.content === true));
    if (options.content) span.setAttributes(contentAttributes(record));
    if (response.fault || response.clientClosed) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(end);
  }

  private endRequest({ request, span }: { readonly request: UpstreamRequest; readonly span: Span }, number: number) {
    const { route, purpose, sentAt, firstByteAt, endedAt, status, failure, unusable } = request;
    const left = endedAt === undefined || (failure === undefined && this.record.response.clientClosed);
    span.setAttributes(
      knownAttributes({
        ...serverOf(route.upstream.baseUrl),
        ...(this.options.openInference && openInferenceKind('CHAIN')),
        'http.response.status_code': status,
        'error.type': failure ?? (left && this.record.response.clientClosed ? 'client_disconnected' : undefined),
        'callsmith.attempt': number,
        'callsmith.purpose': purpose,
        'callsmith.upstream': route.upstream.name,
        'callsmith.upstream_model': route.upstreamModel,
        'callsmith.unusable': unusable,
        'callsmith.first_byte_ms': firstByteAt && firstByteAt - sentAt,
      }),
    );
    if (failure !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(this.at(endedAt ?? endOf(this.record.response)));
  }

  /** A tool of an MCP server that ran here; a missing one has only the name that the model invented. */
  private addTool({ server, tool, failed, startedAt, tookMs }: AgentRound['runs'][number]): void {
    const name = server === undefined ? undefined : tool;
    const attributes = knownAttributes({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': name,
      'gen_ai.tool.type': 'extension',
      'callsmith.mcp_server': server,
      'error.type': failed ? 'tool_error' : undefined,
      ...(this.options.openInference && { ...openInferenceKind('TOOL'), 'tool.name': name }),
    });
    const options = { kind: SpanKind.INTERNAL, startTime: this.at(startedAt), attributes };
    const span = this.tracer.startSpan(['execute_tool', name].filter(Boolean).join(' '), options, this.around);
    if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(this.at(startedAt + tookMs));
  }

  /** A moment of `performance.now()` as milliseconds since 1970. */
  private at(moment: number): number {
    const { at, startedAt } = this.record.request;
    return at.getTime() + (moment - startedAt);
  }
}
