import { audit, type ChangedBy, change } from '../database/change.ts';
import type { PrismaService } from '../database/prisma.ts';

/** Name of the setting that says that the demo was removed: later starts do not restore it. */
export const DEMO_REMOVED = 'demo.removed';

/** Name of the setting that says that a model other than the demo's was used: from then on the demo is not needed. */
export const DEMO_OVER_SETTING = 'demo.over';

/** Name of the setting with the demo's key, encrypted. */
export const DEMO_KEY = 'demo.key';

/** True once a model other than the demo's was used. */
export const isDemoOver = async (prisma: PrismaService): Promise<boolean> =>
  (await prisma.setting.findUnique({ where: { name: DEMO_OVER_SETTING } }))?.value === true;

/** Deletes the demo: its turns and all their counts, its key, team, models and upstream. */
export async function removeDemo(prisma: PrismaService, by: ChangedBy): Promise<void> {
  await change(prisma, async (tables) => {
    const teams = (await tables.team.findMany({ where: { demo: true } })).map(({ id }) => id);
    const models = (await tables.model.findMany({ where: { demo: true } })).map(({ id }) => id);
    await tables.$executeRaw`
      WITH gone AS (
        DELETE FROM turn WHERE team_id = ANY (${teams}) OR model_id = ANY (${models}) RETURNING id, at
      ), calls AS (
        DELETE FROM call USING gone WHERE call.turn_id = gone.id AND call.at = gone.at
      )
      DELETE FROM turn_body USING gone WHERE turn_body.turn_id = gone.id AND turn_body.at = gone.at`;
    const counted = { OR: [{ teamId: { in: teams } }, { modelId: { in: models } }] };
    await tables.turnRollup.deleteMany({ where: counted });
    await tables.callRollup.deleteMany({ where: counted });
    await tables.findingRollup.deleteMany({ where: counted });
    await tables.apiKey.deleteMany({ where: { teamId: { in: teams } } });
    await tables.team.deleteMany({ where: { id: { in: teams } } });
    await tables.model.deleteMany({ where: { id: { in: models } } });
    await tables.upstream.deleteMany({ where: { origin: 'demo' } });
    await tables.setting.deleteMany({ where: { name: DEMO_KEY } });
    await tables.setting.upsert({
      where: { name: DEMO_REMOVED },
      create: { name: DEMO_REMOVED, value: true },
      update: { value: true },
    });
    await audit(tables, by, { action: 'demo.remove', targetKind: 'demo', targetId: 'demo' });
  });
}
