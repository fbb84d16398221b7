import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

type AnyValue = Record<string, unknown> & {
  readonly arrayValue?: { readonly values?: readonly AnyValue[] };
  readonly kvlistValue?: { readonly values?: KeyValues };
};
type KeyValues = readonly { readonly key: string; readonly value: AnyValue }[];

/** A span as a collector gets it, its attributes by name. */
export interface Span {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status: { readonly code?: number; readonly message?: string };
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly resource: Readonly<Record<string, unknown>>;
}

/** One series of a metric as a collector gets it. */
export interface Point {
  readonly name: string;
  readonly unit: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly count?: number;
  readonly sum?: number;
  readonly value?: number;
  readonly bounds?: readonly number[];
}

/** An event as a collector gets it: a log record with a name. */
export interface LogEvent {
  readonly eventName: string;
  readonly severityNumber: number;
  readonly timeUnixNano: string;
  readonly traceId?: string;
  readonly spanId?: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly resource: Readonly<Record<string, unknown>>;
}

/** What a collector got. */
export interface CollectedExport {
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** An OTLP collector of a test's own: it takes everything and decodes JSON. */
export interface TestCollector {
  readonly url: string;
  readonly exports: CollectedExport[];
  /** Resolves with the spans of the first `count` or more since the last time. */
  spans(count?: number): Promise<Span[]>;
  /** As `spans`, of events. */
  events(count?: number): Promise<LogEvent[]>;
  /** The series that came since the last time; resolves when there are some. */
  points(): Promise<Point[]>;
  close(): Promise<void>;
}

/** Starts a collector on a free port. */
export async function startCollector(): Promise<TestCollector> {
  const exports: CollectedExport[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.once('end', () => {
      exports.push({ path: request.url, headers: request.headers, body: Buffer.concat(parts) });
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const taken = async <Item>(path: string, read: (body: Buffer) => Item[], count: number): Promise<Item[]> => {
    const items: Item[] = [];
    for (let tries = 0; items.length < count && tries < 500; tries++) {
      for (let at = exports.length - 1; at >= 0; at--)
        if (exports[at]?.path === path) items.push(...exports.splice(at, 1).flatMap(({ body }) => read(body)));
      if (items.length < count) await new Promise((wait) => setTimeout(wait, 10));
    }
    return items;
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    exports,
    spans: (count = 1) => taken('/v1/traces', spansOf, count),
    events: (count = 1) => taken('/v1/logs', eventsOf, count),
    points: () => taken('/v1/metrics', pointsOf, 1),
    close: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

// biome-ignore lint/suspicious/noExplicitAny: the export's own form, whose members are read below
type Exported = Record<string, any>;

const spansOf = (body: Buffer): Span[] =>
  (JSON.parse(body.toString()) as Exported).resourceSpans.flatMap(({ resource, scopeSpans }: Exported) =>
    scopeSpans.flatMap(({ spans }: Exported) =>
      spans.map((span: Exported) => ({
        ...span,
        attributes: attributesOf(span.attributes),
        resource: attributesOf(resource.attributes),
      })),
    ),
  );

const eventsOf = (body: Buffer): LogEvent[] =>
  (JSON.parse(body.toString()) as Exported).resourceLogs.flatMap(({ resource, scopeLogs }: Exported) =>
    scopeLogs.flatMap(({ logRecords }: Exported) =>
      logRecords.map((event: Exported) => ({
        ...event,
        attributes: attributesOf(event.attributes),
        resource: attributesOf(resource.attributes),
      })),
    ),
  );

const pointsOf = (body: Buffer): Point[] =>
  (JSON.parse(body.toString()) as Exported).resourceMetrics.flatMap(({ scopeMetrics }: Exported) =>
    scopeMetrics.flatMap(({ metrics }: Exported) =>
      metrics.flatMap(({ name, unit, histogram, sum }: Exported) =>
        ((histogram ?? sum).dataPoints as Exported[]).map((point) => ({
          name,
          unit,
          attributes: attributesOf(point.attributes),
          ...(histogram
            ? { count: Number(point.count), sum: Number(point.sum), bounds: point.explicitBounds }
            : { value: Number(point.asInt ?? point.asDouble) }),
        })),
      ),
    ),
  );

const attributesOf = (list: KeyValues = []): Record<string, unknown> =>
  Object.fromEntries(list.map(({ key, value }) => [key, plainValue(value)]));

function plainValue(value: AnyValue): unknown {
  if (value.arrayValue) return (value.arrayValue.values ?? []).map(plainValue);
  return value.kvlistValue ? attributesOf(value.kvlistValue.values) : Object.values(value)[0];
}
