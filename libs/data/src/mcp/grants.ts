import { audit, type ChangedBy, change } from '../database/change.ts';
import type { PrismaService } from '../database/prisma.ts';

/** The tools that a team may use now, with their servers: listed ones of enabled servers. */
export const grantedTools = (prisma: PrismaService, teamId: string) =>
  prisma.mcpTool.findMany({
    where: { listed: true, grants: { some: { teamId } }, server: { enabled: true } },
    include: { server: true },
    orderBy: [{ server: { name: 'asc' } }, { name: 'asc' }],
  });

/** Sets which tools of a server a team may use. */
export function setGrants(
  prisma: PrismaService,
  by: ChangedBy,
  {
    serverId,
    teamId,
    toolIds,
  }: { readonly serverId: string; readonly teamId: string; readonly toolIds: readonly string[] },
): Promise<void> {
  return change(prisma, async (tables) => {
    const before = await tables.mcpGrant.findMany({
      where: { teamId, tool: { serverId } },
      select: { tool: { select: { name: true } } },
    });
    await tables.mcpGrant.deleteMany({ where: { teamId, tool: { serverId } } });
    await tables.mcpGrant.createMany({ data: toolIds.map((toolId) => ({ teamId, toolId })) });
    const after = await tables.mcpTool.findMany({ where: { id: { in: [...toolIds] } }, select: { name: true } });
    await audit(tables, by, {
      action: 'mcp-server.grant',
      targetKind: 'mcp-server',
      targetId: serverId,
      teamId,
      before: { teamId, tools: before.map(({ tool }) => tool.name).sort() },
      after: { teamId, tools: after.map(({ name }) => name).sort() },
    });
  });
}
