import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '@callsmith/turn';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';

/** A tool of a test's server. */
export interface TestTool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema?: JsonObject;
  /** `reportProgress` reports progress to the caller that asked for it. */
  run(args: JsonObject, signal: AbortSignal, reportProgress: (progress: number) => void): Promise<string> | string;
}

/** An MCP server with known tools that records its requests. */
export interface TestMcpServer {
  readonly url: string;
  tools: TestTool[];
  /** Headers of every request. */
  readonly received: IncomingMessage['headers'][];
  /** Answers instead of the protocol, if it returns true. */
  intercept?: (request: IncomingMessage, response: ServerResponse) => boolean;
  close(): Promise<void>;
}

/** Starts one on the official SDK: the newest revision and those before. */
export async function startMcpServer(tools: TestTool[]): Promise<TestMcpServer> {
  const handler = createMcpHandler(() => {
    const server = new Server({ name: 'test', version: '1' }, { capabilities: { tools: {} } });
    server.setRequestHandler('tools/list', () => ({
      tools: stage.tools.map(({ name, description, inputSchema }) => ({
        name,
        ...(description !== undefined && { description }),
        inputSchema: (inputSchema ?? { type: 'object' }) as { type: 'object' },
      })),
    }));
    server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
      const tool = stage.tools.find(({ name }) => name === params.name);
      if (tool === undefined) throw new Error(`no tool ${params.name}`);
      const progressToken = params._meta?.progressToken;
      const reportProgress = (progress: number): void => {
        if (progressToken === undefined) return;
        void mcpReq.notify({ method: 'notifications/progress', params: { progress, progressToken } });
      };
      try {
        const text = await tool.run((params.arguments ?? {}) as JsonObject, mcpReq.signal, reportProgress);
        return { content: [{ type: 'text', text }] };
      } catch (problem) {
        return { content: [{ type: 'text', text: (problem as Error).message }], isError: true };
      }
    });
    return server;
  });
  const http = createServer((request, response) => {
    stage.received.push(request.headers);
    if (stage.intercept?.(request, response)) return;
    void answer(request, response, handler.fetch);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const stage: TestMcpServer = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    tools,
    received: [],
    close: async () => {
      await handler.close();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
  return stage;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  serve: (request: Request) => Promise<Response>,
): Promise<void> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const controller = new AbortController();
  response.once('close', () => controller.abort());
  const reply = await serve(
    new Request(`http://${request.headers.host}${request.url}`, {
      method: request.method ?? 'GET',
      headers: request.headers as Record<string, string>,
      signal: controller.signal,
      ...(parts.length > 0 && { body: Buffer.concat(parts) }),
    }),
  );
  response.writeHead(reply.status, Object.fromEntries(reply.headers));
  for await (const chunk of reply.body ?? []) response.write(chunk);
  response.end();
}
