import { errors } from 'undici';
import { Connection } from './connection.ts';
import { headerName } from './header-name.ts';
import type { ReplyHandler, RequestHandle, Transport, TransportOptions, TransportRequest } from './transport.ts';

/**
 * HTTP/1.1 client for `http:`, reduced to what the hot path needs. A request takes the idle connection that was used
 * last, or opens one. There is no queue: the caller must not have more requests in flight than there may be
 * connections.
 */
export class PlainTransport implements Transport {
  private readonly idle: Connection[] = [];
  private readonly open = new Set<Connection>();
  private readonly host: string;
  private readonly port: number;
  private readonly lead: HeadLead;
  private readonly tickMs: number;
  private ticking: NodeJS.Timeout | undefined;
  private closing = false;

  /** `origin`: scheme, host and port. */
  constructor(
    origin: string,
    private readonly options: TransportOptions,
  ) {
    const { hostname, port } = new URL(options.proxy?.origin ?? origin);
    this.host = hostname.replace(/^\[|\]$/g, '');
    this.port = port === '' ? 80 : Number(port);
    this.lead = leadOf(origin, options.proxy);
    const shortest = Math.min(options.connectTimeoutMs, options.firstByteTimeoutMs, options.idleTimeoutMs);
    this.tickMs = Math.min(Math.max(Math.floor(shortest / 10), 10), 500);
  }

  send(request: TransportRequest, handler: ReplyHandler): RequestHandle {
    const { body: given = '' } = request;
    // A long text is encoded once: it would be walked through to count its bytes, to join it to its head and to write it.
    const body = typeof given === 'string' && given.length > longBody ? Buffer.from(given) : given;
    const bytes = Buffer.byteLength(body);
    const head = headOf(request, this.lead, bytes);
    if (head === undefined) {
      process.nextTick(() => handler.failed(new errors.InvalidArgumentError('a header that cannot be sent')));
      return unsent;
    }
    return this.connection(request.fresh === true).send(head, { text: body, bytes }, handler);
  }

  close(): void {
    this.closing = true;
    for (const connection of this.idle.splice(0)) connection.close();
  }

  destroy(): void {
    this.closing = true;
    for (const connection of [...this.open]) connection.fail(new errors.ClientDestroyedError());
  }

  private connection(fresh: boolean): Connection {
    while (!fresh) {
      const pooled = this.idle.pop();
      if (pooled === undefined) break;
      if (pooled.usable) return pooled;
      pooled.close();
    }
    const made = new Connection({
      host: this.host,
      port: this.port,
      options: this.options,
      idle: (one) => (this.closing || fresh ? one.close() : this.idle.push(one)),
      closed: (one) => this.forget(one),
    });
    this.open.add(made);
    this.ticking ??= setInterval(() => this.tick(), this.tickMs).unref();
    return made;
  }

  private forget(connection: Connection): void {
    this.open.delete(connection);
    const at = this.idle.indexOf(connection);
    if (at !== -1) this.idle.splice(at, 1);
    if (this.open.size > 0) return;
    clearInterval(this.ticking);
    this.ticking = undefined;
  }

  private tick(): void {
    for (const connection of this.open) connection.tick(this.tickMs);
  }
}

/** In UTF-16 units. */
const longBody = 256 * 1024;

/** The handle of a request that was refused before it was sent. */
const unsent: RequestHandle = { abort: () => {}, pause: () => {}, resume: () => {} };

/** The parts that the heads of all requests to a server share. */
interface HeadLead {
  /** Precedes the path: a proxy gets the complete URL (RFC 9112, 3.2.2), a server only the path. */
  readonly target: string;
  /** The first header lines. */
  readonly lines: string;
}

function leadOf(origin: string, proxy: TransportOptions['proxy']): HeadLead {
  const authorization = proxy?.authorization === undefined ? '' : `proxy-authorization: ${proxy.authorization}\r\n`;
  return {
    target: proxy ? origin : '',
    lines: `host: ${new URL(origin).host}\r\nconnection: keep-alive\r\n${authorization}`,
  };
}

/**
 * A request's head up to its empty line; undefined if its path or a header has characters that would break the head.
 */
function headOf(
  { method, path, headers, body }: TransportRequest,
  { target, lines }: HeadLead,
  length: number,
): string | undefined {
  let head = `${method} ${target}${path} HTTP/1.1\r\n${lines}`;
  if (invalidInPath.test(path)) return undefined;
  for (const name in headers) {
    const value = headers[name] as string;
    if (invalidInValue.test(value) || !headerName.test(name)) return undefined;
    head += `${name}: ${value}\r\n`;
  }
  return `${head}${body === undefined ? '' : `content-length: ${length}\r\n`}\r\n`;
}

/** Characters that a header's value must not contain (RFC 9110, 5.5) or that latin1 cannot encode. */
const invalidInValue = /[^\t\x20-\x7e\x80-\xff]/;
const invalidInPath = /[^\x21-\x7e]/;
