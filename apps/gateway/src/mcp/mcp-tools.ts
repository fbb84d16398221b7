import type { PrismaService } from '@callsmith/data/database';
import type { LimitStore } from '@callsmith/data/limits';
import {
  grantedTools,
  type McpCallMade,
  type McpCallOutcome,
  type McpServerDetail,
  storeTools,
} from '@callsmith/data/mcp';
import type { KeyEntry } from '@callsmith/data/snapshot';
import type { OutgoingProxies } from '@callsmith/data/upstreams';
import {
  isErrorReply,
  McpConnections,
  publicToolName,
  resultText,
  type StdioTransport,
  sameDefinition,
  type ToolDefinition,
  type ToolResult,
  toolProblem,
} from '@callsmith/mcp';
import { Fault, type JsonObject } from '@callsmith/turn';
import type { HostedResult, HostedTool, ToolHost } from '../proxy/agent/tool-host.ts';
import { Breaker } from '../proxy/attempts/breaker.ts';
import { countCall } from './call-limits.ts';
import { endpointOf } from './endpoint-of.ts';
import { reasonOf } from './reason-of.ts';

/** What is needed to reach the tools of MCP servers. */
export interface McpToolsParts {
  readonly prisma: PrismaService;
  readonly limits: LimitStore;
  readonly secretKey: string;
  /** Those of MCP_SERVERS_FILE, by name. */
  readonly programs: ReadonlyMap<string, StdioTransport>;
  /** The proxy for servers over HTTP; undefined: none. */
  readonly proxies?: OutgoingProxies;
  /** Called for every call of a key, with the server's name. */
  readonly onCall?: (call: McpCallMade & { readonly server: string }) => void;
}

/** Options of a call. */
export interface CallOptions {
  readonly key: KeyEntry;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly onProgress?: Parameters<McpConnections['call']>[2]['onProgress'];
}

type GrantedTool = Awaited<ReturnType<typeof grantedTools>>[number];

/** How often a team's grants are read from the database, at most. */
const freshMs = 3_000;
const mostTeams = 1_000;
const lookMs = 20_000;

/** The tools of registered MCP servers: lists those that a key may use, and calls them within its limits. */
export class McpTools implements ToolHost {
  private readonly connections: McpConnections;
  /** One circuit for each server, since servers have no models. */
  private readonly breaker = new Breaker();
  private readonly granted = new Map<string, { readonly at: number; readonly tools: Promise<GrantedTool[]> }>();

  constructor(private readonly parts: McpToolsParts) {
    this.connections = new McpConnections(parts.proxies);
  }

  async list(key: KeyEntry): Promise<readonly HostedTool[]> {
    return (await this.tools(key)).map(({ name: tool, definition, server }) => {
      const { description, inputSchema } = definition as unknown as ToolDefinition;
      return {
        name: publicToolName(server.name, tool),
        server: server.name,
        tool,
        ...(description !== '' && { description }),
        parameters: inputSchema,
      };
    });
  }

  /** A call of a granted tool, with its result as text for a model. */
  async call(tool: HostedTool, args: JsonObject, options: CallOptions): Promise<HostedResult> {
    const result = await this.run(tool, args, options);
    return { text: resultText(result), isError: result.isError };
  }

  /**
   * Calls a tool of a server for a key. Throws `not_found` if the key may not use it, `rate_limit_exceeded`, and
   * `mcp_server_unavailable` with the reason.
   */
  async run(
    { server: name, tool: named }: Pick<HostedTool, 'server' | 'tool'>,
    args: JsonObject,
    { key, signal, timeoutMs, onProgress }: CallOptions,
  ): Promise<ToolResult> {
    const tool = (await this.tools(key)).find((one) => one.server.name === name && one.name === named);
    if (tool === undefined)
      throw new Fault(
        'not_found',
        `This key has no access to a tool "${named.slice(0, 100)}" of the MCP server "${name.slice(0, 100)}".`,
      );
    const { server } = tool;
    const begun = performance.now();
    const end = (outcome: McpCallOutcome): void =>
      this.parts.onCall?.({
        serverId: server.id,
        server: name,
        tool: named,
        keyId: key.id,
        outcome,
        tookMs: performance.now() - begun,
      });
    const place = { upstreamId: server.id, model: '' };
    if (!this.breaker.admits(place)) {
      end('unavailable');
      throw new Fault(
        'mcp_server_unavailable',
        `The MCP server "${name}" failed to respond several times in a row. Try again in a few seconds.`,
        {
          headers: { 'retry-after': '10' },
        },
      );
    }
    const over = await countCall(this.parts.limits, server, key).catch((refused: unknown) => {
      end('limited');
      throw refused;
    });
    try {
      const result = await this.connections.call(
        endpointOf(server, this.parts),
        { name: named, args },
        { timeoutMs: Math.min(timeoutMs, server.timeoutMs), signal, ...(onProgress && { onProgress }) },
      );
      this.breaker.report(place, 'answered');
      end(result.isError ? 'tool_error' : 'ok');
      return result;
    } catch (cause) {
      const outcome = isErrorReply(cause) ? 'refused' : signal.aborted ? 'cancelled' : 'unavailable';
      end(outcome);
      if (cause instanceof Fault) throw cause;
      // A call that a server refuses must not block the server for other keys.
      if (outcome === 'refused') this.breaker.report(place, 'answered');
      else if (outcome === 'unavailable') this.breaker.report(place, 'upstream');
      throw new Fault('mcp_server_unavailable', `The MCP server "${name}": ${reasonOf(cause)}`, { cause });
    } finally {
      over();
    }
  }

  /** Lists a server's tools and stores them. */
  async refresh(server: Omit<McpServerDetail, 'tools'>): Promise<McpServerDetail> {
    const seen = await this.connections
      .list(endpointOf(server, this.parts), lookMs)
      .then(({ revision, tools }) => ({
        revision,
        error: null,
        tools: tools.map(({ name, ...definition }) => ({ name, definition: definition as never })),
      }))
      .catch((problem: unknown) => ({ revision: null, error: reasonOf(problem) }));
    const row = await storeTools(this.parts.prisma, { id: server.id, seen, same: sameStored });
    this.granted.clear();
    return row;
  }

  /** Calls a tool for an admin who tests it, regardless of grants. */
  async try(server: Omit<McpServerDetail, 'tools'>, tool: string, args: JsonObject): Promise<HostedResult> {
    try {
      const { timeoutMs } = server;
      const result = await this.connections.call(endpointOf(server, this.parts), { name: tool, args }, { timeoutMs });
      return { text: resultText(result).slice(0, 100_000), isError: result.isError };
    } catch (cause) {
      if (cause instanceof Fault) throw cause;
      throw new Fault('mcp_server_unavailable', `The MCP server "${server.name}": ${reasonOf(cause)}`, { cause });
    }
  }

  /** Applies changed grants and settings now, and reconnects to the server. */
  forget(serverId: string): void {
    this.granted.clear();
    this.connections.forget(serverId);
  }

  async close(): Promise<void> {
    await this.connections.close();
  }

  /** The tools that a key's team may use, without those that cannot be offered. */
  private tools({ teamId }: KeyEntry): Promise<GrantedTool[]> {
    const cached = this.granted.get(teamId);
    if (cached && Date.now() - cached.at < freshMs) return cached.tools;
    if (this.granted.size > mostTeams) this.granted.clear();
    const tools = grantedTools(this.parts.prisma, teamId).then((rows) =>
      rows.filter(({ definition }) => toolProblem(definition as unknown as ToolDefinition) === undefined),
    );
    tools.catch(() => this.granted.delete(teamId));
    this.granted.set(teamId, { at: Date.now(), tools });
    return tools;
  }
}

const sameStored = (a: unknown, b: unknown): boolean =>
  a === null || b === null || a === undefined || b === undefined
    ? (a ?? null) === (b ?? null)
    : sameDefinition(a as ToolDefinition, b as ToolDefinition);
