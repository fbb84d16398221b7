import { randomUUID } from 'node:crypto';
import type { KeyEntry } from '@callsmith/data/snapshot';
import type { ToolResult } from '@callsmith/mcp';
import { Fault, isObject, type JsonObject, type JsonValue, parseJson } from '@callsmith/turn';
import {
  type CallToolResult,
  createMcpHandler,
  type McpHttpHandler,
  ProtocolError,
  Server,
} from '@modelcontextprotocol/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { McpTools } from './mcp-tools.ts';
import type { RunningCalls } from './running-calls.ts';

/** How long one request may take, whatever a server's own limit. */
const longestMs = 600_000;
/** JSON-RPC's codes for a refused request and for invalid parameters. */
const refusedCode = -32_000;
const invalidParams = -32_602;

/** No client says more of itself, in bytes. */
const longestBeginning = 65_536;

/** Host names that lead here wherever they are looked up. */
const thisMachine = /^(?:localhost|\[::1\]|127(?:\.\d{1,3}){3})$/;

interface Asker {
  readonly key: KeyEntry;
  readonly server: string;
  /** What a client of the older revisions was told to name itself by; the newest has no sessions. */
  readonly session?: string | undefined;
}

const sessionHeader = 'mcp-session-id';

/**
 * `POST /mcp/:server`: a registered server as an MCP endpoint with the rights of an API key. It knows the tools alone: lists
 * those that the key may use, and calls them. Nothing of the client's request goes to the server but name and arguments.
 */
export class McpEndpointHandler {
  private readonly handler: McpHttpHandler;

  constructor(
    private readonly tools: McpTools,
    private readonly running: RunningCalls,
    /** Undefined: none is set. */
    private readonly publicUrl: string | undefined,
  ) {
    this.handler = createMcpHandler(({ authInfo }) => this.serverFor(authInfo?.extra as unknown as Asker), {
      legacy: 'stateless',
      onerror: () => {},
    });
  }

  async serve(request: FastifyRequest, reply: FastifyReply, asker: Omit<Asker, 'session'>): Promise<void> {
    const { origin } = request.headers;
    if (origin !== undefined && !this.isTrusted(origin))
      throw new Fault(
        'cross_origin',
        `MCP requests of web pages are taken from PUBLIC_URL and from this machine only; this one is from ${origin.slice(0, 100)}.`,
      );
    if (!(await this.tools.list(asker.key)).some(({ server }) => server === asker.server))
      throw new Fault('not_found', `This key may use no tool of an MCP server "${asker.server.slice(0, 100)}".`);
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort());
    const body = request.body as Buffer | undefined;
    const given = new Request(`http://callsmith.local${request.url}`, {
      method: 'POST',
      headers: headersOf(request),
      signal: gone.signal,
      ...(body && { body: new Uint8Array(body) }),
    });
    const authInfo = {
      token: '',
      clientId: asker.key.id,
      scopes: [],
      extra: { ...asker, session: sessionOf(request) } as Record<string, unknown>,
    };
    const answer = await this.handler.fetch(given, { authInfo });
    void reply.code(answer.status).headers(Object.fromEntries(answer.headers));
    // Nothing is kept of a session: its name tells the request ids of one client from those of another with the same key.
    if (begins(body)) void reply.header(sessionHeader, randomUUID());
    await reply.send(answer.body ?? undefined);
  }

  close(): Promise<void> {
    return this.handler.close();
  }

  /** The protocol's rule against DNS rebinding: by the origin alone, as the host is what a page has chosen. */
  private isTrusted(origin: string): boolean {
    if (!URL.canParse(origin)) return false;
    const url = new URL(origin);
    const own = this.publicUrl === undefined ? undefined : new URL(this.publicUrl).origin;
    return url.origin === own || thisMachine.test(url.hostname);
  }

  private serverFor({ key, server: name, session }: Asker): Server {
    const server = new Server({ name: `callsmith/${name}`, version: '1' }, { capabilities: { tools: {} } });
    server.setRequestHandler('tools/list', async () => {
      const tools = (await this.tools.list(key)).filter((tool) => tool.server === name);
      return {
        tools: tools.map(({ tool, description, parameters }) => ({
          name: tool,
          ...(description !== undefined && { description }),
          inputSchema: parameters as { type: 'object' },
        })),
      };
    });
    // Calls of the older revisions are cancelled by a message, which is a request of its own; the newest closes the stream.
    server.setNotificationHandler('notifications/cancelled', async ({ params: { requestId } }) => {
      if (session !== undefined && requestId !== undefined)
        await this.running.cancel({ keyId: key.id, server: name, session, requestId });
    });
    server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
      const progressToken = params._meta?.progressToken;
      const run = (cancelled?: AbortSignal): Promise<ToolResult> =>
        this.tools.run({ server: name, tool: params.name }, (params.arguments ?? {}) as JsonObject, {
          key,
          signal: cancelled ? AbortSignal.any([mcpReq.signal, cancelled]) : mcpReq.signal,
          timeoutMs: longestMs,
          ...(progressToken !== undefined && {
            onProgress: (progress) =>
              void mcpReq
                .notify({ method: 'notifications/progress', params: { ...progress, progressToken } })
                .catch(() => {}),
          }),
        });
      try {
        const result =
          session === undefined
            ? await run()
            : await this.running.run({ keyId: key.id, server: name, session, requestId: mcpReq.id }, run);
        const { content, structuredContent, isError } = result;
        return {
          content: content as CallToolResult['content'],
          ...(structuredContent !== undefined && { structuredContent: structuredContent as Record<string, JsonValue> }),
          ...(isError && { isError }),
        };
      } catch (problem) {
        if (!(problem instanceof Fault)) throw problem;
        throw new ProtocolError(problem.code === 'not_found' ? invalidParams : refusedCode, problem.message);
      }
    });
    return server;
  }
}

/** The session that a client of the older revisions names. */
function sessionOf({ headers }: FastifyRequest): string | undefined {
  const { [sessionHeader]: session } = headers;
  return typeof session === 'string' && session !== '' ? session.slice(0, 200) : undefined;
}

/** True if a client of the older revisions begins here. */
function begins(body: Buffer | undefined): boolean {
  if (body === undefined || body.length > longestBeginning) return false;
  const asked = parseJson(body.toString('utf8'));
  return isObject(asked) && asked.method === 'initialize';
}

/** What the protocol is made of; neither the key nor a cookie is among it. */
function headersOf({ headers }: FastifyRequest): Record<string, string> {
  const kept = Object.entries(headers).filter(
    ([name, value]) =>
      typeof value === 'string' && (/^mcp-/.test(name) || name === 'accept' || name === 'content-type'),
  );
  return Object.fromEntries(kept) as Record<string, string>;
}
