import type { McpServer, McpTool } from '@callsmith/contracts';
import type { McpCallSum, McpServerDetail, McpToolRow } from '@callsmith/data/mcp';
import { publicToolName, type ToolDefinition, toolProblem } from '@callsmith/mcp';
import { managedBy } from '../managed.ts';

/** About four characters are a token. */
const charactersOfToken = 4;
/** Maximum number of keys listed as callers of a tool. */
const mostKeys = 20;

/** An MCP server as the admin API shows it, without its credential. `calls`: those of all servers. */
export const mcpServerView = (row: McpServerDetail, calls: readonly McpCallSum[]): McpServer => ({
  id: row.id,
  name: row.name,
  url: row.url,
  origin: row.origin as McpServer['origin'],
  managedBy: managedBy(row),
  auth: row.auth as McpServer['auth'],
  authName: row.authName,
  authIssuer: row.authIssuer,
  hasCredential: row.credential !== null,
  enabled: row.enabled,
  timeoutMs: row.timeoutMs,
  callsPerMinute: row.callsPerMinute,
  concurrentCalls: row.concurrentCalls,
  revision: row.revision,
  health: row.checkedAt && { ok: row.error === null, at: row.checkedAt.toISOString(), error: row.error },
  tools: row.tools.map((tool) =>
    toolView(
      row.name,
      tool,
      calls.filter((one) => one.serverId === row.id && one.tool === tool.name),
    ),
  ),
});

function toolView(server: string, row: McpToolRow, calls: readonly McpCallSum[]): McpTool {
  const definition = row.definition as unknown as ToolDefinition;
  const size = definition.description.length + JSON.stringify(definition.inputSchema).length;
  return {
    id: row.id,
    name: row.name,
    publicName: publicToolName(server, row.name),
    definition,
    size,
    tokens: Math.ceil(size / charactersOfToken),
    problem: toolProblem(definition) ?? null,
    changedTo: row.changedTo as unknown as ToolDefinition | null,
    changedAt: row.changedAt.toISOString(),
    listed: row.listed,
    teams: row.grants.map(({ teamId }) => teamId),
    calls: callsView(calls),
  };
}

function callsView(sums: readonly McpCallSum[]): McpTool['calls'] {
  const total = (of: 'calls' | 'failed' | 'ms') => sums.reduce((sum, { [of]: more }) => sum + more, 0);
  const count = total('calls');
  return {
    count,
    failed: total('failed'),
    meanMs: count === 0 ? null : Math.round(total('ms') / count),
    keys: sums
      .map(({ keyId: id, holder, calls, failed }) => ({ id, holder, count: calls, failed }))
      .sort((a, b) => b.count - a.count || a.id.localeCompare(b.id))
      .slice(0, mostKeys),
  };
}
