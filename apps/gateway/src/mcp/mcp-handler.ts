import type { KeyEntry } from '@callsmith/data/snapshot';
import type { ToolResult } from '@callsmith/mcp';
import { Fault, type JsonObject, type JsonValue } from '@callsmith/turn';
import {
  type CallToolResult,
  createMcpHandler,
  type McpHttpHandler,
  ProtocolError,
  Server,
} from '@modelcontextprotocol/server';
import type { McpTools } from './mcp-tools.ts';
import type { RunningCalls } from './running-calls.ts';

/** Maximum time of one request, whatever a server's own limit. */
const longestMs = 600_000;
/** JSON-RPC's codes for a refused request and for invalid parameters. */
const refusedCode = -32_000;
const invalidParams = -32_602;

/** The key and server of a request, passed to the SDK's callback as `authInfo.extra`. */
export interface McpCaller {
  readonly key: KeyEntry;
  readonly server: string;
  /** The session id that a client of the older revisions got; the newest has no sessions. */
  readonly session?: string | undefined;
}

/** Answers requests of MCP clients with the tools of registered servers, each within the rights of its `McpCaller`. */
export const mcpHandler = (tools: McpTools, running: RunningCalls): McpHttpHandler =>
  createMcpHandler(({ authInfo }) => serverFor(authInfo?.extra as unknown as McpCaller, tools, running), {
    legacy: 'stateless',
    onerror: () => {},
  });

function serverFor({ key, server: name, session }: McpCaller, tools: McpTools, running: RunningCalls): Server {
  const server = new Server({ name: `callsmith/${name}`, version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', async () => {
    const offered = (await tools.list(key)).filter((tool) => tool.server === name);
    return {
      tools: offered.map(({ tool, description, parameters }) => ({
        name: tool,
        ...(description !== undefined && { description }),
        inputSchema: parameters as { type: 'object' },
      })),
    };
  });
  // In the older revisions a call is cancelled by another request; in the newest one by closing the stream.
  server.setNotificationHandler('notifications/cancelled', async ({ params: { requestId } }) => {
    if (session !== undefined && requestId !== undefined)
      await running.cancel({ keyId: key.id, server: name, session, requestId });
  });
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const progressToken = params._meta?.progressToken;
    const run = (cancelled?: AbortSignal): Promise<ToolResult> =>
      tools.run({ server: name, tool: params.name }, (params.arguments ?? {}) as JsonObject, {
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
          : await running.run({ keyId: key.id, server: name, session, requestId: mcpReq.id }, run);
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
