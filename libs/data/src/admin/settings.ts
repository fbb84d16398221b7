import { audit, type By, change } from '../change.ts';
import type { Prisma } from '../generated/prisma/client.ts';
import type { PrismaService } from '../prisma.ts';

/** A setting of the installation as it is stored; undefined: never set. */
export async function readSetting(prisma: PrismaService, name: string): Promise<unknown> {
  return (await prisma.setting.findUnique({ where: { name } }))?.value ?? undefined;
}

/** Sets a setting of the installation; every gateway hears of it. */
export function writeSetting(
  prisma: PrismaService,
  by: By,
  name: string,
  value: Prisma.InputJsonObject,
): Promise<void> {
  return change(prisma, async (tables) => {
    const before = await tables.setting.findUnique({ where: { name } });
    await tables.setting.upsert({ where: { name }, create: { name, value }, update: { value } });
    await audit(tables, by, {
      action: 'settings.change',
      targetKind: 'settings',
      targetId: name,
      before: before ? (before.value as object) : null,
      after: value as object,
    });
  });
}
