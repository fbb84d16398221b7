import { audit, type ChangedBy, change } from '../database/change.ts';
import type { PrismaService } from '../database/prisma.ts';
import type { Prisma } from '../generated/prisma/client.ts';

/** A setting of the installation as it is stored; undefined: never set. */
export async function readSetting(prisma: PrismaService, name: string): Promise<unknown> {
  return (await prisma.setting.findUnique({ where: { name } }))?.value ?? undefined;
}

/** Sets a setting of the installation; every gateway is notified. */
export const writeSetting = (
  prisma: PrismaService,
  by: ChangedBy,
  name: string,
  value: Prisma.InputJsonObject,
): Promise<void> => editSetting(prisma, by, name, () => value);

/**
 * Changes a setting by a function of its value (undefined: never set), one at a time; every gateway is notified. Throws
 * what `edit` throws.
 */
export function editSetting(
  prisma: PrismaService,
  by: ChangedBy,
  name: string,
  edit: (before: unknown) => Prisma.InputJsonObject,
): Promise<void> {
  return change(prisma, async (tables) => {
    // Concurrent edits wait here, also if there is no row yet.
    await tables.$executeRaw`SELECT pg_advisory_xact_lock(hashtext(${`setting ${name}`}))`;
    const before = await tables.setting.findUnique({ where: { name } });
    const value = edit(before?.value ?? undefined);
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
