import type { UsageBy } from '@callsmith/contracts';
import type { PrismaService } from '../database/prisma.ts';

/** The names of the keys, models or teams of these ids; removed ones included, unknown ones left out. */
export async function namesOf(
  prisma: PrismaService,
  by: Exclude<UsageBy, 'client'>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const where = { id: { in: [...ids] } };
  switch (by) {
    case 'key': {
      const rows = await prisma.apiKey.findMany({ where, select: { id: true, holder: true, hint: true } });
      return new Map(rows.map(({ id, holder, hint }) => [id, `${holder} (${hint})`]));
    }
    case 'model': {
      const rows = await prisma.model.findMany({ where, select: { id: true, name: true } });
      return new Map(rows.map(({ id, name }) => [id, name]));
    }
    case 'team': {
      const rows = await prisma.team.findMany({ where, select: { id: true, name: true } });
      return new Map(rows.map(({ id, name }) => [id, name]));
    }
  }
}
