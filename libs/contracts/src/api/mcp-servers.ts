import { headerNameProblem } from '@callsmith/turn';
import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { byId, instant, managedBy } from '../vocabulary.ts';

/** A server's description of a tool. */
const definition = z.object({ description: z.string(), inputSchema: z.record(z.string(), z.unknown()) });

export const mcpTool = z.object({
  id: z.string(),
  /** Its name on the server. */
  name: z.string(),
  /** The name for models. */
  publicName: z.string(),
  definition,
  /** Characters of its schema and description. */
  size: z.number().int(),
  /** Approximate number of tokens it costs in each request. */
  tokens: z.number().int(),
  /** Why it is not offered to models, as the rest of a sentence; null: it is offered. */
  problem: z.string().nullable(),
  /** The server's current description, withheld until it is accepted; null: unchanged. */
  changedTo: definition.nullable(),
  changedAt: instant,
  /** False: the server no longer lists it. */
  listed: z.boolean(),
  /** Ids of the teams that may use it. */
  teams: z.array(z.string()),
  /** Its calls in the last seven days, by clients and by agents. */
  calls: z.object({
    count: z.number().int(),
    /** Those that failed, including the tool's own errors. */
    failed: z.number().int(),
    /** Duration of a call; null: there was none. */
    meanMs: z.number().int().nullable(),
    /** By key, the busiest first; `holder` is null if the key was deleted. */
    keys: z.array(
      z.object({
        id: z.string(),
        holder: z.string().nullable(),
        count: z.number().int(),
        failed: z.number().int(),
      }),
    ),
  }),
});
export type McpTool = z.infer<typeof mcpTool>;

/** `bearer`: a token in `Authorization`; `header`: in the named header; `oauth`: OAuth's client credentials. */
const auth = z.enum(['none', 'bearer', 'header', 'oauth']);

export const mcpServer = z.object({
  id: z.string(),
  name: z.string(),
  /** Null: a program of MCP_SERVERS_FILE. */
  url: z.string().nullable(),
  origin: z.enum(['admin', 'file']),
  managedBy,
  auth,
  authName: z.string().nullable(),
  /** The authorization server of OAuth. */
  authIssuer: z.string().nullable(),
  hasCredential: z.boolean(),
  enabled: z.boolean(),
  timeoutMs: z.number().int(),
  callsPerMinute: z.number().int().nullable(),
  concurrentCalls: z.number().int().nullable(),
  /** The negotiated revision of the protocol; null: none yet. */
  revision: z.string().nullable(),
  /** The last check; null before the first. */
  health: z.object({ ok: z.boolean(), at: instant, error: z.string().nullable() }).nullable(),
  tools: z.array(mcpTool),
});
export type McpServer = z.infer<typeof mcpServer>;

const fields = {
  /** The prefix, before `__`, of its tools' names. */
  name: z
    .string()
    .trim()
    .min(1)
    .max(30)
    .regex(/^[a-z0-9]+(?:[-_][a-z0-9]+)*$/, 'must be lower-case letters and digits, separated by single - or _'),
  url: z.string().min(1).max(2000),
  auth,
  /** The header's name, or the OAuth client id. */
  authName: z.string().trim().min(1).max(500).nullable(),
  /** The issuer of OAuth's authorization server: the secret is sent to no other, whatever the MCP server says. */
  authIssuer: z.string().trim().min(1).max(2000).nullable(),
  /** The token, the header's value, or the client secret; empty or null: none. Never returned. */
  credential: z.string().max(4000).nullable(),
  timeoutMs: z.number().int().min(100).max(600_000),
  /** Of each key. */
  callsPerMinute: z.number().int().min(1).max(100_000).nullable(),
  /** Of each key. */
  concurrentCalls: z.number().int().min(1).max(1000).nullable(),
};

export const newMcpServer = z.object({
  ...fields,
  auth: fields.auth.default('none'),
  authName: fields.authName.default(null),
  authIssuer: fields.authIssuer.default(null),
  credential: fields.credential.default(null),
  timeoutMs: fields.timeoutMs.default(60_000),
  callsPerMinute: fields.callsPerMinute.default(null),
  concurrentCalls: fields.concurrentCalls.default(null),
});
export type NewMcpServer = z.output<typeof newMcpServer>;

/** What is wrong with a server's authentication: the field, and the rest of a sentence after it; undefined: nothing. */
export function mcpAuthProblem({
  auth: kind,
  authName,
  authIssuer,
  hasCredential,
}: {
  readonly auth: string;
  readonly authName: string | null;
  readonly authIssuer: string | null;
  readonly hasCredential: boolean;
}): { readonly path: 'authName' | 'authIssuer' | 'credential'; readonly message: string } | undefined {
  if (kind === 'none') return undefined;
  if (kind !== 'bearer' && authName === null)
    return {
      path: 'authName',
      message: kind === 'header' ? "is required: the header's name" : "is required: the client's ID",
    };
  const message = kind === 'header' && authName !== null ? headerNameProblem(authName) : undefined;
  if (message) return { path: 'authName', message };
  if (kind === 'oauth' && authIssuer === null)
    return { path: 'authIssuer', message: 'is required: the URL of the authorization server' };
  return hasCredential ? undefined : { path: 'credential', message: `is required with auth "${kind}"` };
}

// Without defaults: fields that a change does not name stay unchanged.
const mcpServerChange = z.object({ ...fields, enabled: z.boolean() }).partial();
export type McpServerChange = z.output<typeof mcpServerChange>;

const toolNames = z.array(z.string().min(1).max(256)).max(1000);

export const mcpServers = {
  list: endpoint({
    method: 'GET',
    path: '/api/mcp-servers',
    access: 'admin',
    summary: 'MCP servers, their tools, and the teams that may use them.',
    reply: z.object({ items: z.array(mcpServer) }),
  }),
  create: endpoint({
    method: 'POST',
    path: '/api/mcp-servers',
    access: 'admin',
    summary: 'Adds an MCP server and lists its tools.',
    body: newMcpServer,
    reply: mcpServer,
  }),
  change: endpoint({
    method: 'PATCH',
    path: '/api/mcp-servers/:id',
    access: 'admin',
    summary: 'Changes an MCP server.',
    params: byId,
    body: mcpServerChange,
    reply: mcpServer,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/mcp-servers/:id',
    access: 'admin',
    summary: 'Removes an MCP server and all access to its tools.',
    params: byId,
    reply: z.object({}),
  }),
  look: endpoint({
    method: 'POST',
    path: '/api/mcp-servers/:id/look',
    access: 'admin',
    summary: 'Refreshes its tools.',
    params: byId,
    reply: mcpServer,
  }),
  accept: endpoint({
    method: 'POST',
    path: '/api/mcp-servers/:id/accept',
    access: 'admin',
    summary: 'Accepts the current definitions of tools that changed.',
    params: byId,
    body: z.object({ tools: toolNames.min(1) }),
    reply: mcpServer,
  }),
  grant: endpoint({
    method: 'PUT',
    path: '/api/mcp-servers/:id/grants',
    access: 'admin',
    summary: 'Sets the tools of the server that a team may use; access to all others is removed.',
    params: byId,
    body: z.object({ teamId: z.string().min(1).max(100), tools: toolNames }),
    reply: mcpServer,
  }),
  call: endpoint({
    method: 'POST',
    path: '/api/mcp-servers/:id/call',
    access: 'admin',
    summary: 'Calls a tool once, to try it.',
    params: byId,
    body: z.object({ tool: z.string().min(1).max(256), arguments: z.record(z.string(), z.unknown()) }),
    reply: z.object({ text: z.string(), isError: z.boolean(), tookMs: z.number().int() }),
  }),
};
