import { shownTurnId } from '@callsmith/data/ids';
import { type Attributes, DiagLogLevel, diag, SpanKind, SpanStatusCode, type Tracer } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { endOf, overheadMs, type RequestRecord } from '../record/request-record.ts';
import type { ObserverFactory } from './observer.ts';
import { callRecords, classesOf, outcomeOf } from './outcome.ts';

/** What traces are made with. */
export interface TracingOptions {
  /** Base URL of an OTLP/HTTP collector; spans go to `/v1/traces` below it. */
  readonly endpoint: string;
  readonly productVersion: string;
  /** Told at most once a minute while the collector takes nothing. */
  readonly reportProblem: (message: string) => void;
}

/** Spans on their way to a collector. */
export interface Tracing {
  readonly observerFactory: ObserverFactory;
  /** Sends what waits, for at most 2 s. */
  stop(): Promise<void>;
}

const GATHER_MS = 1_000;
const LAST_SEND_MS = 2_000;

/**
 * One span for each turn, named and described by OpenTelemetry's semantic conventions for generative AI. A span holds
 * what the record's row holds: never a body, a header or an error's text. This module alone loads OpenTelemetry.
 */
export function startTracing({ endpoint, productVersion, reportProblem }: TracingOptions): Tracing {
  diag.setLogger(seldom(reportProblem), { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true });
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces` });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'callsmith', 'service.version': productVersion }),
    spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: GATHER_MS })],
  });
  const tracer = provider.getTracer('callsmith', productVersion);
  return {
    observerFactory: (record) => ({ done: () => trace(tracer, record) }),
    stop: () =>
      Promise.race([
        provider.shutdown().catch(() => {}),
        new Promise<void>((done) => void setTimeout(done, LAST_SEND_MS).unref()),
      ]),
  };
}

function trace(tracer: Tracer, record: RequestRecord): void {
  const { request, response } = record;
  const attributes = attributesOf(record);
  const name = [attributes['gen_ai.operation.name'], attributes['gen_ai.request.model']].filter(Boolean).join(' ');
  const span = tracer.startSpan(name, { kind: SpanKind.CLIENT, startTime: request.at, attributes, root: true });
  if (response.fault || response.clientClosed) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end(request.at.getTime() + (endOf(response) - request.startedAt));
}

/** Names: https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/. The model is a configured one, never the text asked for. */
function attributesOf(record: RequestRecord): Attributes {
  const { request, attempts, response } = record;
  const { key, model, turn } = request;
  const { route } = attempts;
  const { usage, fault, notes } = response;
  const calls = callRecords(response);
  const tools = turn?.tools.size ?? 0;
  const server = route && new URL(route.upstream.baseUrl);
  const added = overheadMs(record);
  return given({
    'gen_ai.operation.name': operationOf(request.path),
    'gen_ai.provider.name': route && (route.upstream.kind ?? 'openai'),
    'gen_ai.request.model': model?.name,
    'gen_ai.response.model': route?.upstreamModel,
    'gen_ai.response.finish_reasons': response.reason && [response.reason],
    'gen_ai.usage.input_tokens': usage?.inputTokens,
    'gen_ai.usage.output_tokens': usage?.outputTokens,
    'gen_ai.usage.cache_read.input_tokens': usage?.cachedTokens,
    'server.address': server?.hostname,
    'server.port': server && Number(server.port || (server.protocol === 'https:' ? 443 : 80)),
    'http.route': request.path,
    'http.response.status_code': response.status,
    'error.type': response.clientClosed ? 'client_disconnected' : fault?.code,
    'callsmith.turn': shownTurnId(request.id),
    'callsmith.team': key?.teamId,
    'callsmith.key': key?.id,
    'callsmith.client': request.client,
    'callsmith.upstream': route?.upstream.name,
    'callsmith.strategy': model?.strategy.value,
    'callsmith.strategy_used': attempts.strategyUsed,
    'callsmith.dialect': attempts.dialect,
    'callsmith.outcome': outcomeOf(calls, notes, tools, fault !== undefined) ?? undefined,
    'callsmith.classes': classesOf(notes),
    'callsmith.tools_offered': tools,
    'callsmith.calls': calls.length,
    'callsmith.attempts': attempts.count,
    'callsmith.streamed': request.streamed,
    'callsmith.added_ms': added,
    'callsmith.first_token_ms': response.firstTokenAt && response.firstTokenAt - request.arrivedAt,
  });
}

function operationOf(path: string): string {
  if (path.endsWith('/embeddings')) return 'embeddings';
  return path === '/v1/completions' ? 'text_completion' : 'chat';
}

const given = (attributes: Readonly<Record<string, Attributes[string] | undefined>>): Attributes =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined)) as Attributes;

/** Passes on one complaint a minute. */
function seldom(reportProblem: (message: string) => void) {
  let next = 0;
  const error = (message: string): void => {
    if (performance.now() < next) return;
    next = performance.now() + 60_000;
    reportProblem(message.slice(0, 300));
  };
  const nothing = (): void => {};
  return { error, warn: nothing, info: nothing, debug: nothing, verbose: nothing };
}
