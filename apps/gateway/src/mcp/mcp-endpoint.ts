import { randomUUID } from 'node:crypto';
import { Fault, isObject, parseJson } from '@callsmith/turn';
import type { McpHttpHandler } from '@modelcontextprotocol/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { McpCaller } from './mcp-handler.ts';
import type { McpTools } from './mcp-tools.ts';
import type { RunningCalls } from './running-calls.ts';

/** Maximum size of a request, in bytes. */
const longestBeginning = 65_536;

/** Host names that resolve to this machine everywhere. */
const thisMachine = /^(?:localhost|\[::1\]|127(?:\.\d{1,3}){3})$/;

const sessionHeader = 'mcp-session-id';

/**
 * `POST /mcp/:server`: a registered server as an MCP endpoint with the rights of an API key. It supports only tools:
 * lists those that the key may use, and calls them. Only name and arguments of the client's request go to the server.
 */
export class McpEndpointHandler {
  /** Created for the first request: with its SDK it takes some 15 MB, and most installations have no MCP server. */
  private handler: Promise<McpHttpHandler> | undefined;

  constructor(
    private readonly tools: McpTools,
    private readonly running: RunningCalls,
    /** Undefined: none is configured. */
    private readonly publicUrl: string | undefined,
  ) {}

  async serve(request: FastifyRequest, reply: FastifyReply, asker: Omit<McpCaller, 'session'>): Promise<void> {
    const { origin } = request.headers;
    if (origin !== undefined && !this.isTrusted(origin))
      throw new Fault(
        'cross_origin',
        `MCP requests from web pages are accepted only from PUBLIC_URL and from this machine; this one is from ${origin.slice(0, 100)}.`,
      );
    if (!(await this.tools.list(asker.key)).some(({ server }) => server === asker.server))
      throw new Fault('not_found', `This key has no access to an MCP server named "${asker.server.slice(0, 100)}".`);
    const controller = new AbortController();
    reply.raw.once('close', () => controller.abort());
    const body = request.body as Buffer | undefined;
    const webRequest = new Request(`http://callsmith.local${request.url}`, {
      method: 'POST',
      headers: headersOf(request),
      signal: controller.signal,
      ...(body && { body: new Uint8Array(body) }),
    });
    const authInfo = {
      token: '',
      clientId: asker.key.id,
      scopes: [],
      extra: { ...asker, session: sessionOf(request) } as Record<string, unknown>,
    };
    this.handler ??= import('./mcp-handler.ts').then(({ mcpHandler }) => mcpHandler(this.tools, this.running));
    const answer = await (await this.handler).fetch(webRequest, { authInfo });
    void reply.code(answer.status).headers(Object.fromEntries(answer.headers));
    // Sessions have no state: the id only separates the request ids of several clients with the same key.
    if (begins(body)) void reply.header(sessionHeader, randomUUID());
    await reply.send(answer.body ?? undefined);
  }

  async close(): Promise<void> {
    await (await this.handler)?.close();
  }

  /** The protocol's rule against DNS rebinding: checks only the origin, because a page chooses the host. */
  private isTrusted(origin: string): boolean {
    if (!URL.canParse(origin)) return false;
    const url = new URL(origin);
    const own = this.publicUrl === undefined ? undefined : new URL(this.publicUrl).origin;
    return url.origin === own || thisMachine.test(url.hostname);
  }
}

/** The session that a client of the older revisions names. */
function sessionOf({ headers }: FastifyRequest): string | undefined {
  const { [sessionHeader]: session } = headers;
  return typeof session === 'string' && session !== '' ? session.slice(0, 200) : undefined;
}

/** True if a client of the older revisions initializes here. */
function begins(body: Buffer | undefined): boolean {
  if (body === undefined || body.length > longestBeginning) return false;
  const message = parseJson(body.toString('utf8'));
  return isObject(message) && message.method === 'initialize';
}

/** The headers of the protocol; neither the key nor a cookie is among them. */
function headersOf({ headers }: FastifyRequest): Record<string, string> {
  const kept = Object.entries(headers).filter(
    ([name, value]) =>
      typeof value === 'string' && (/^mcp-/.test(name) || name === 'accept' || name === 'content-type'),
  );
  return Object.fromEntries(kept) as Record<string, string>;
}
