import type { PrismaService } from '../database/prisma.ts';

/** Whether one of these keys got a tool call from a model server other than the demo's. Known within a minute. */
export async function hasRealCall(prisma: PrismaService, keyIds: readonly string[]): Promise<boolean> {
  if (keyIds.length === 0) return false;
  const [{ found } = { found: false }] = await prisma.$queryRaw<{ found: boolean }[]>`
    SELECT EXISTS (
      SELECT FROM turn_rollup
      WHERE grain IN ('minute', 'day') AND key_id = ANY(${keyIds}) AND clean + repaired + invalid > 0
        AND upstream_id NOT IN (SELECT id FROM upstream WHERE origin = 'demo')
    ) AS found`;
  return found;
}
