import type { McpServer, McpTool } from '@callsmith/contracts';
import type { McpServerDetail, McpToolRow } from '@callsmith/data/mcp';
import { publicToolName, type ToolDefinition, toolProblem } from '@callsmith/mcp';
import { managedBy } from '../managed.ts';

/** About four characters are a token. */
const charactersOfToken = 4;

/** An MCP server as the admin API tells it: its credential is not in it. */
export const mcpServerView = (row: McpServerDetail): McpServer => ({
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
  tools: row.tools.map((tool) => toolView(row.name, tool)),
});

function toolView(server: string, row: McpToolRow): McpTool {
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
  };
}
