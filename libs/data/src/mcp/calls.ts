import type { PrismaService } from '../database/prisma.ts';

/** The result of a tool call. `refused`: by its server; `limited`: by this key's limits. */
export type McpCallOutcome = 'ok' | 'tool_error' | 'refused' | 'unavailable' | 'limited' | 'cancelled';

/** A call of an MCP server's tool, by a client or by an agent. */
export interface McpCallMade {
  readonly serverId: string;
  readonly tool: string;
  readonly keyId: string;
  readonly outcome: McpCallOutcome;
  readonly tookMs: number;
}

/** Adds a call to the sums of its hour. */
export async function countMcpCall(
  prisma: PrismaService,
  { serverId, tool, keyId, outcome, tookMs }: McpCallMade,
): Promise<void> {
  await prisma.$executeRaw`
    INSERT INTO mcp_call_count (hour, server_id, tool, key_id, outcome, calls, ms)
    VALUES (date_trunc('hour', now()), ${serverId}, ${tool}, ${keyId}, ${outcome}, 1, ${Math.round(tookMs)})
    ON CONFLICT (hour, server_id, tool, key_id, outcome)
    DO UPDATE SET calls = mcp_call_count.calls + 1, ms = mcp_call_count.ms + EXCLUDED.ms`;
}

/** The calls of a tool in some time, by the key that made them. */
export interface McpCallSum {
  readonly serverId: string;
  readonly tool: string;
  readonly keyId: string;
  /** The key's owner; null: the key was deleted. */
  readonly holder: string | null;
  readonly calls: number;
  /** Those that failed, including the tool's own errors. */
  readonly failed: number;
  /** Their total duration. */
  readonly ms: number;
}

/** The calls since an instant. */
export async function mcpCallsSince(prisma: PrismaService, since: Date): Promise<McpCallSum[]> {
  const rows = await prisma.mcpCallCount.groupBy({
    by: ['serverId', 'tool', 'keyId', 'outcome'],
    where: { hour: { gte: since } },
    _sum: { calls: true, ms: true },
  });
  const ids = [...new Set(rows.map(({ keyId }) => keyId))];
  const keys = await prisma.apiKey.findMany({ where: { id: { in: ids } }, select: { id: true, holder: true } });
  const holders = new Map(keys.map(({ id, holder }) => [id, holder]));
  const sums = new Map<string, McpCallSum>();
  for (const { serverId, tool, keyId, outcome, _sum } of rows) {
    const name = JSON.stringify([serverId, tool, keyId]);
    const { calls, failed, ms } = sums.get(name) ?? { calls: 0, failed: 0, ms: 0 };
    const more = _sum.calls ?? 0;
    sums.set(name, {
      serverId,
      tool,
      keyId,
      holder: holders.get(keyId) ?? null,
      calls: calls + more,
      failed: failed + (outcome === 'ok' ? 0 : more),
      ms: ms + Number(_sum.ms ?? 0),
    });
  }
  return [...sums.values()];
}
