import { audit, type ChangedBy, change } from '../database/change.ts';
import type { PrismaService, Tables } from '../database/prisma.ts';
import { Prisma } from '../generated/prisma/client.ts';
import { newId } from '../ids.ts';
import { storable } from '../record/storable.ts';
import { storableJson } from '../storable-json.ts';

const withTools = {
  tools: { orderBy: { name: 'asc' }, include: { grants: { select: { teamId: true } } } },
} as const;

/** An MCP server with its tools and their grants, including its encrypted credential. */
export type McpServerDetail = Prisma.McpServerGetPayload<{ include: typeof withTools }>;
export type McpToolRow = McpServerDetail['tools'][number];

/** MCP servers by name. */
export const listMcpServers = (prisma: PrismaService): Promise<McpServerDetail[]> =>
  prisma.mcpServer.findMany({ include: withTools, orderBy: { name: 'asc' } });

/** Null: unknown server. */
export const findMcpServer = (prisma: PrismaService, id: string): Promise<McpServerDetail | null> =>
  prisma.mcpServer.findUnique({ where: { id }, include: withTools });

/** True if another server than `except` has this name. */
export const mcpServerIsNamed = async (prisma: PrismaService, name: string, except?: string): Promise<boolean> =>
  (await prisma.mcpServer.count({ where: { name, ...(except && { id: { not: except } }) } })) > 0;

/** Adds a server. */
export function insertMcpServer(
  prisma: PrismaService,
  by: ChangedBy,
  data: Prisma.McpServerUncheckedCreateInput,
): Promise<McpServerDetail> {
  return change(prisma, async (tables) => {
    const row = await tables.mcpServer.create({ data, include: withTools });
    await audit(tables, by, { action: 'mcp-server.add', ...target(row), after: auditFields(row) });
    return row;
  });
}

/** Changes a server. */
export function updateMcpServer(
  prisma: PrismaService,
  by: ChangedBy,
  { id, data }: { readonly id: string; readonly data: Prisma.McpServerUncheckedUpdateInput },
): Promise<McpServerDetail> {
  return change(prisma, async (tables) => {
    const before = await tables.mcpServer.findUniqueOrThrow({ where: { id } });
    const row = await tables.mcpServer.update({
      where: { id },
      data: { ...data, changedAt: new Date() },
      include: withTools,
    });
    await audit(tables, by, {
      action: 'mcp-server.change',
      ...target(row),
      before: auditFields(before),
      after: auditFields(row),
    });
    return row;
  });
}

/** Deletes a server, with its tools and their grants. */
export function removeMcpServer(prisma: PrismaService, by: ChangedBy, id: string): Promise<void> {
  return change(prisma, async (tables) => {
    const row = await tables.mcpServer.delete({ where: { id } });
    await audit(tables, by, { action: 'mcp-server.remove', ...target(row), before: auditFields(row) });
  });
}

/** The result of checking a server. */
interface SeenTools {
  readonly revision: string | null;
  /** Why the check failed; null: it succeeded. */
  readonly error: string | null;
  /** Undefined: the check failed, and the known tools stay. */
  readonly tools?: readonly { readonly name: string; readonly definition: Prisma.InputJsonObject }[] | undefined;
}

/**
 * Stores a server's listed tools. A tool with a changed definition keeps the accepted one, and the new one is withheld.
 * `same`: whether two definitions are equal.
 */
export function storeTools(
  prisma: PrismaService,
  {
    id,
    seen,
    same,
  }: { readonly id: string; readonly seen: SeenTools; readonly same: (a: unknown, b: unknown) => boolean },
): Promise<McpServerDetail> {
  return change(prisma, async (tables) => {
    await tables.$queryRaw`SELECT id FROM mcp_server WHERE id = ${id} FOR UPDATE`;
    const { revision, error, tools } = seen;
    if (tools) await mergeTools(tables, id, tools, same);
    return tables.mcpServer.update({
      where: { id },
      data: { checkedAt: new Date(), error: error && storable(error), ...(revision !== null && { revision }) },
      include: withTools,
    });
  });
}

async function mergeTools(
  tables: Tables,
  serverId: string,
  tools: NonNullable<SeenTools['tools']>,
  same: (a: unknown, b: unknown) => boolean,
): Promise<void> {
  const existing = new Map((await tables.mcpTool.findMany({ where: { serverId } })).map((row) => [row.name, row]));
  for (const { name, definition: rawDefinition } of tools) {
    // A tool whose name cannot be stored could never be called.
    if (storable(name) !== name) continue;
    const definition = storableJson(rawDefinition);
    const row = existing.get(name);
    existing.delete(name);
    if (row === undefined) {
      await tables.mcpTool.create({ data: { id: newId('tool'), serverId, name, definition } });
      continue;
    }
    const changedTo = same(row.definition, definition) ? null : definition;
    if (row.listed && same(row.changedTo, changedTo)) continue;
    await tables.mcpTool.update({
      where: { id: row.id },
      data: { listed: true, changedTo: changedTo ?? NOTHING, changedAt: new Date() },
    });
  }
  const missingIds = [...existing.values()].filter(({ listed }) => listed).map(({ id }) => id);
  if (missingIds.length > 0)
    await tables.mcpTool.updateMany({ where: { id: { in: missingIds } }, data: { listed: false } });
}

/** Accepts the current definitions of a server's tools, by name. */
export function acceptTools(
  prisma: PrismaService,
  by: ChangedBy,
  { id, names }: { readonly id: string; readonly names: readonly string[] },
): Promise<McpServerDetail> {
  return change(prisma, async (tables) => {
    const rows = await tables.mcpTool.findMany({ where: { serverId: id, name: { in: [...names] } } });
    for (const row of rows.filter(({ changedTo }) => changedTo !== null)) {
      await tables.mcpTool.update({
        where: { id: row.id },
        data: { definition: row.changedTo as Prisma.InputJsonObject, changedTo: NOTHING },
      });
      await audit(tables, by, {
        action: 'mcp-tool.accept',
        targetKind: 'mcp-server',
        targetId: id,
        before: { tool: row.name, definition: row.definition },
        after: { tool: row.name, definition: row.changedTo },
      });
    }
    return tables.mcpServer.findUniqueOrThrow({ where: { id }, include: withTools });
  });
}

/** Sets the servers of MCP_SERVERS_FILE to those of these names; one that is no longer in it is disabled. */
export function syncFileServers(prisma: PrismaService, names: readonly string[]): Promise<void> {
  return change(prisma, async (tables) => {
    await tables.mcpServer.updateMany({
      where: { origin: 'file', name: { notIn: [...names] } },
      data: { enabled: false },
    });
    for (const name of names)
      await tables.mcpServer.upsert({
        where: { name },
        create: { id: newId('mcp'), name, origin: 'file' },
        update: { origin: 'file', managedBy: null, url: null, enabled: true },
      });
  });
}

const NOTHING = Prisma.DbNull;

const target = ({ id }: { readonly id: string }) => ({ targetKind: 'mcp-server', targetId: id }) as const;

const auditFields = (row: Omit<McpServerDetail, 'tools'>) => ({
  name: row.name,
  url: row.url,
  auth: row.auth,
  authName: row.authName,
  authIssuer: row.authIssuer,
  hasCredential: row.credential !== null,
  enabled: row.enabled,
  managedBy: row.managedBy,
  timeoutMs: row.timeoutMs,
  callsPerMinute: row.callsPerMinute,
  concurrentCalls: row.concurrentCalls,
});
