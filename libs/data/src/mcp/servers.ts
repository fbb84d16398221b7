import { audit, type ChangedBy, change } from '../database/change.ts';
import type { PrismaService, Tables } from '../database/prisma.ts';
import { Prisma } from '../generated/prisma/client.ts';
import { newId } from '../ids.ts';
import { storable } from '../record/storable.ts';
import { storableJson } from '../storable-json.ts';

const withTools = {
  tools: { orderBy: { name: 'asc' }, include: { grants: { select: { teamId: true } } } },
} as const;

/** An MCP server with its tools and who may use them. Its sealed credential is in it. */
export type McpServerDetail = Prisma.McpServerGetPayload<{ include: typeof withTools }>;
export type McpToolRow = McpServerDetail['tools'][number];

/** MCP servers by name. */
export const listMcpServers = (prisma: PrismaService): Promise<McpServerDetail[]> =>
  prisma.mcpServer.findMany({ include: withTools, orderBy: { name: 'asc' } });

/** Null: no such server. */
export const findMcpServer = (prisma: PrismaService, id: string): Promise<McpServerDetail | null> =>
  prisma.mcpServer.findUnique({ where: { id }, include: withTools });

/** True if a server of this name is there, other than `except`. */
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
    await audit(tables, by, { action: 'mcp-server.add', ...target(row), after: told(row) });
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
    await audit(tables, by, { action: 'mcp-server.change', ...target(row), before: told(before), after: told(row) });
    return row;
  });
}

/** Takes a server away, with its tools and what was granted of them. */
export function removeMcpServer(prisma: PrismaService, by: ChangedBy, id: string): Promise<void> {
  return change(prisma, async (tables) => {
    const row = await tables.mcpServer.delete({ where: { id } });
    await audit(tables, by, { action: 'mcp-server.remove', ...target(row), before: told(row) });
  });
}

/** What a look at a server brought. */
interface SeenTools {
  readonly revision: string | null;
  /** Why it could not be asked; null: it could. */
  readonly error: string | null;
  /** Undefined: it could not be asked, and what was known stays. */
  readonly tools?: readonly { readonly name: string; readonly definition: Prisma.InputJsonObject }[] | undefined;
}

/**
 * Stores what a server was seen to offer. A tool that says something else than before keeps what was accepted, and what it
 * says now is held back. `same`: whether two definitions say the same.
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
  const known = new Map((await tables.mcpTool.findMany({ where: { serverId } })).map((row) => [row.name, row]));
  for (const { name, definition: said } of tools) {
    // One whose name cannot be stored could not be called by what is.
    if (storable(name) !== name) continue;
    const definition = storableJson(said);
    const row = known.get(name);
    known.delete(name);
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
  const gone = [...known.values()].filter(({ listed }) => listed).map(({ id }) => id);
  if (gone.length > 0) await tables.mcpTool.updateMany({ where: { id: { in: gone } }, data: { listed: false } });
}

/** Accepts what tools of a server, by name, say of themselves now. */
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

/** Makes the servers of MCP_SERVERS_FILE those of these names; one that is no longer in it is disabled. */
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

const told = (row: Omit<McpServerDetail, 'tools'>) => ({
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
