import type { OutgoingProxies } from '@callsmith/data/upstreams';
import { isObject, type JsonObject, type JsonValue } from '@callsmith/turn';
import type { Client, Transport } from '@modelcontextprotocol/client';
import { guardedFetch } from './guarded-fetch.ts';
import type { ToolResult } from './result-text.ts';
import type { ToolDefinition } from './tool-schema.ts';

/** An MCP server, and how it is reached. */
export interface McpEndpoint {
  readonly id: string;
  /** Changes with the address or credential, so that a connection to the previous one is closed. */
  readonly version: string;
  readonly transport: HttpTransport | StdioTransport;
}

interface HttpTransport {
  readonly kind: 'http';
  readonly url: string;
  /** Includes its own credential; never anything from a client. */
  readonly headers: Readonly<Record<string, string>>;
  /** OAuth's client credentials. */
  readonly oauth?:
    | {
        readonly clientId: string;
        readonly clientSecret: string /** The secret goes to no other issuer. */;
        readonly issuer: string;
      }
    | undefined;
}

/** A program on this host. */
export interface StdioTransport {
  readonly kind: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string | undefined;
}

/** A server's list of tools. */
export interface ListedTools {
  /** The revision of the protocol that was agreed on. */
  readonly revision: string | null;
  readonly tools: readonly (ToolDefinition & { readonly name: string })[];
}

interface CallOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** Reports the progress of a call, if the server does. */
  readonly onProgress?: (progress: {
    progress: number;
    total?: number | undefined;
    message?: string | undefined;
  }) => void;
}

const connectMs = 10_000;
const mostPages = 50;
const mostTools = 1_000;
/** A connection that is idle for this long is closed. */
const idleMs = 300_000;

/** A connection shared by calls of any number of keys. */
interface Open {
  readonly version: string;
  readonly client: Promise<Client>;
  usedAt: number;
  /** The number of running requests. */
  running: number;
  /** Accepts no more requests, and is closed when the running ones have ended. */
  retired: boolean;
}

/** One connection to each server, opened when it is needed. */
export class McpConnections {
  private readonly open = new Map<string, Open>();
  private readonly fetch: typeof fetch;
  private readonly timer = setInterval(() => this.closeIdle(), 60_000).unref();

  /** `proxies`: those for servers over HTTP; programs on the host do not get them. */
  constructor(proxies?: OutgoingProxies) {
    this.fetch = guardedFetch(proxies);
  }

  /** A server's tools. Throws the error, as the rest of a sentence after the server's name. */
  async list(endpoint: McpEndpoint, timeoutMs: number): Promise<ListedTools> {
    return this.with(endpoint, { repeats: true }, async (client) => {
      const tools = new Map<string, ListedTools['tools'][number]>();
      let cursor: string | undefined;
      for (let page = 0; page < mostPages && tools.size < mostTools; page++) {
        const reply = await client.listTools(cursor === undefined ? {} : { cursor }, { timeout: timeoutMs });
        for (const { name, description = '', inputSchema } of reply.tools) {
          // Of two tools with one name the first counts.
          if (tools.size === mostTools || tools.has(name) || name.length > 256) continue;
          tools.set(name, { name, description, inputSchema: inputSchema as JsonObject });
        }
        cursor = reply.nextCursor;
        if (cursor === undefined) break;
      }
      return { revision: client.getNegotiatedProtocolVersion() ?? null, tools: [...tools.values()] };
    });
  }

  /** Calls a tool. Throws transport errors; an error reported by the tool itself is a result. */
  async call(
    endpoint: McpEndpoint,
    { name, args }: { readonly name: string; readonly args: JsonObject },
    { timeoutMs, signal, onProgress }: CallOptions,
  ): Promise<ToolResult> {
    return this.with(endpoint, { repeats: false, signal }, async (client) => {
      const reply = await client.callTool(
        { name, arguments: args },
        {
          timeout: timeoutMs,
          maxTotalTimeout: timeoutMs,
          ...(signal && { signal }),
          ...(onProgress && { onprogress: onProgress }),
        },
      );
      const { content, structuredContent, isError } = reply;
      return {
        content: Array.isArray(content) ? (content as JsonValue[]) : [],
        structuredContent: structuredContent as JsonValue | undefined,
        isError: isError === true,
      };
    });
  }

  /** Uses a new connection for a server from now on. Running requests continue on the previous one. */
  forget(id: string): void {
    const one = this.open.get(id);
    if (one) this.retire(id, one);
  }

  /** Closes all connections immediately. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    const open = [...this.open.values()];
    this.open.clear();
    await Promise.all(open.map(shut));
  }

  /** `repeats`: the request may be repeated if the server has forgotten our session. */
  private async with<T>(
    endpoint: McpEndpoint,
    { repeats, signal }: { readonly repeats: boolean; readonly signal?: AbortSignal | undefined },
    work: (client: Client) => Promise<T>,
  ): Promise<T> {
    const wasOpen = this.open.has(endpoint.id);
    const one = this.connectionTo(endpoint);
    one.running++;
    try {
      return await work(await one.client);
    } catch (problem) {
      // Neither a response nor a caller's cancellation means that the connection is broken.
      if (isErrorReply(problem) || signal?.aborted) throw problem;
      this.retire(endpoint.id, one);
      // A request in a forgotten session was not executed.
      if (wasOpen && (repeats || statusOf(problem) === 404))
        return await this.with(endpoint, { repeats: false, signal }, work);
      throw problem;
    } finally {
      one.running--;
      one.usedAt = Date.now();
      if (one.retired && one.running === 0) void shut(one);
    }
  }

  private connectionTo(endpoint: McpEndpoint): Open {
    const existing = this.open.get(endpoint.id);
    if (existing?.version === endpoint.version) return existing;
    if (existing) this.retire(endpoint.id, existing);
    const one: Open = {
      version: endpoint.version,
      client: connect(endpoint, this.fetch),
      usedAt: Date.now(),
      running: 0,
      retired: false,
    };
    this.open.set(endpoint.id, one);
    return one;
  }

  private retire(id: string, connection: Open): void {
    connection.retired = true;
    if (this.open.get(id) === connection) this.open.delete(id);
    if (connection.running === 0) void shut(connection);
  }

  private closeIdle(): void {
    const before = Date.now() - idleMs;
    for (const [id, one] of this.open) if (one.running === 0 && one.usedAt < before) this.retire(id, one);
  }
}

const shut = (one: Open): Promise<void> => one.client.then((client) => client.close()).catch(() => {});

/** The SDK is loaded for the first connection: it takes some 15 MB, and most installations have no MCP server. */
async function connect({ transport }: McpEndpoint, send: typeof fetch): Promise<Client> {
  const sdk = await import('@modelcontextprotocol/client');
  const client = new sdk.Client(
    { name: 'callsmith', version: '1' },
    {
      versionNegotiation: { mode: 'auto', probe: { timeoutMs: connectMs } },
      capabilities: {},
      // Output schemas are not compiled: one could be made to never terminate.
      jsonSchemaValidator: {
        getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
      },
    },
  );
  client.onerror = () => {};
  const to = transport.kind === 'http' ? await httpTransport(transport, send) : await stdioTransport(transport);
  await client.connect(to, { timeout: connectMs });
  return client;
}

async function httpTransport({ url, headers, oauth }: HttpTransport, send: typeof fetch): Promise<Transport> {
  const { ClientCredentialsProvider, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  return new StreamableHTTPClientTransport(new URL(url), {
    fetch: send,
    requestInit: { headers: { 'user-agent': 'callsmith', ...headers } },
    ...(oauth && {
      authProvider: new ClientCredentialsProvider({
        clientId: oauth.clientId,
        clientSecret: oauth.clientSecret,
        expectedIssuer: oauth.issuer,
        clientName: 'Callsmith',
      }),
    }),
  });
}

/** It gets its own variables, PATH and HOME, and none of the gateway's. */
async function stdioTransport({ command, args, env, cwd }: StdioTransport): Promise<Transport> {
  const { DEFAULT_INHERITED_ENV_VARS, StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
  return new StdioClientTransport({
    command,
    args: [...args],
    env: { ...without(DEFAULT_INHERITED_ENV_VARS), ...ownVariables(), ...env },
    stderr: 'ignore',
    ...(cwd !== undefined && { cwd }),
  });
}

/** Variables that the SDK would pass on by itself; one without a value is left out. */
const without = (names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, undefined])) as unknown as Record<string, string>;

const ownVariables = (): Record<string, string> =>
  Object.fromEntries(['PATH', 'HOME'].flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));

/** True if a server answered with its own error: the connection works. */
export const isErrorReply = (problem: unknown): boolean =>
  isObject(problem as JsonValue) &&
  typeof (problem as { code?: unknown }).code === 'number' &&
  statusOf(problem) === undefined;

const statusOf = (problem: unknown): number | undefined => {
  const { status } = (problem ?? {}) as { status?: unknown };
  return typeof status === 'number' ? status : undefined;
};
