import type { ModelSettingsChange } from '@callsmith/contracts';
import { audit, type ChangedBy, change } from '../database/change.ts';
import type { PrismaService, Tables } from '../database/prisma.ts';
import { Prisma, type StrategyChange } from '../generated/prisma/client.ts';
import { newId } from '../ids.ts';
import { declaredSettings, settingsInEffect } from './stored-settings.ts';
import { AUTO, CHOSEN_STRATEGY, dropChoice } from './strategy-choice.ts';

const withRoutes = {
  upstreams: {
    where: { listed: true, upstream: { removedAt: null, enabled: true } },
    include: { upstream: { select: { name: true, engineVersion: true } } },
    orderBy: [{ position: 'asc' }, { upstreamId: 'asc' }],
  },
  learned: true,
} as const satisfies Prisma.ModelInclude;

/** A model with its routes and what `auto` learned. */
export type ModelDetail = Prisma.ModelGetPayload<{ include: typeof withRoutes }>;

/** An upstream that serves a model, under which name and with which weight. */
export interface ModelRoute {
  readonly upstreamId: string;
  readonly upstreamModel: string;
  readonly weight: number;
}

/** Models by name, without removed ones. */
export const listModels = (prisma: PrismaService): Promise<ModelDetail[]> =>
  prisma.model.findMany({ where: { removedAt: null }, include: withRoutes, orderBy: { name: 'asc' } });

/** By surrogate id, name or alias, in this order (D-21). Undefined: unknown, or removed. */
export async function findModel(prisma: PrismaService, idOrName: string): Promise<ModelDetail | undefined> {
  const rows = await prisma.model.findMany({
    where: { removedAt: null, OR: [{ id: idOrName }, { name: idOrName }, { aliases: { has: idOrName } }] },
    include: withRoutes,
  });
  return (
    rows.find(({ id }) => id === idOrName) ??
    rows.find(({ name }) => name === idOrName) ??
    rows.find(({ aliases }) => aliases.includes(idOrName))
  );
}

/** Of these names, those that another listed model than `except` has as its name or an alias. */
export async function takenNames(prisma: PrismaService, names: readonly string[], except?: string): Promise<string[]> {
  const wanted = [...names];
  const rows = await prisma.model.findMany({
    where: {
      removedAt: null,
      ...(except && { id: { not: except } }),
      OR: [{ name: { in: wanted } }, { aliases: { hasSome: wanted } }],
    },
    select: { name: true, aliases: true },
  });
  return wanted.filter((name) => rows.some((row) => row.name === name || row.aliases.includes(name)));
}

/** Changes a model's settings and, if given, its routes; a change of strategy or dialect also gets a history row. */
export function updateModel(
  prisma: PrismaService,
  by: ChangedBy,
  {
    id,
    data,
    settings,
    routes,
  }: {
    id: string;
    data: Prisma.ModelUncheckedUpdateInput;
    settings: ModelSettingsChange;
    routes?: readonly ModelRoute[] | undefined;
  },
): Promise<ModelDetail> {
  return change(prisma, async (tables) => {
    const before = await tables.model.findUniqueOrThrow({ where: { id }, include: withRoutes });
    if (routes) await putRoutes(tables, id, routes);
    // Setting a strategy discards what `auto` chose before.
    if (data.strategy !== undefined && before.strategy !== AUTO) {
      await tables.learned.deleteMany({ where: { modelId: id, what: CHOSEN_STRATEGY } });
      await tables.strategyStay.deleteMany({ where: { modelId: id } });
    }
    const row = await tables.model.update({
      where: { id },
      data: { ...data, ...declaredSettings(before, settings) },
      include: withRoutes,
    });
    if (row.strategy !== before.strategy || row.dialect !== before.dialect)
      await tables.strategyChange.create({
        data: {
          id: newId('chg'),
          modelId: id,
          fromStrategy: before.strategy,
          toStrategy: row.strategy,
          fromDialect: before.dialect,
          toDialect: row.dialect,
          actor: by.actor,
          reason: by.reason ?? null,
        },
      });
    await audit(tables, by, {
      action: 'model.change',
      targetKind: 'model',
      targetId: id,
      before: auditFields(before),
      after: auditFields(row),
    });
    return row;
  });
}

/** Adds a model by hand. A removed model of this name is restored, with its history. */
export function insertModel(
  prisma: PrismaService,
  by: ChangedBy,
  {
    routes,
    ...fields
  }: { name: string; aliases: string[]; contextLength: number | null; routes: readonly ModelRoute[] },
): Promise<ModelDetail> {
  return change(prisma, async (tables) => {
    const data = {
      ...fields,
      contextSource: fields.contextLength === null ? 'default' : 'declared',
      removedAt: null,
      demo: false,
      managedBy: null,
    };
    const { name } = fields;
    const { id } = await tables.model.upsert({
      where: { name },
      create: { id: newId('model'), ...data },
      update: data,
    });
    await putRoutes(tables, id, routes);
    const row = await tables.model.findUniqueOrThrow({ where: { id }, include: withRoutes });
    await audit(tables, by, {
      action: 'model.add',
      targetKind: 'model',
      targetId: id,
      after: { name, ...auditFields(row) },
    });
    return row;
  });
}

/** Removes a model; its row and all its records stay. */
export function removeModel(prisma: PrismaService, by: ChangedBy, id: string): Promise<void> {
  return change(prisma, async (tables) => {
    const before = await tables.model.findUniqueOrThrow({ where: { id }, include: withRoutes });
    await tables.learned.deleteMany({ where: { modelId: id } });
    await tables.model.update({ where: { id }, data: { removedAt: new Date(), aliases: [] } });
    await audit(tables, by, {
      action: 'model.remove',
      targetKind: 'model',
      targetId: id,
      before: { name: before.name, ...auditFields(before) },
    });
  });
}

/** Sets a model's routes by hand: what the upstreams list no longer changes them. */
async function putRoutes(tables: Tables, modelId: string, routes: readonly ModelRoute[]): Promise<void> {
  const upstreamIds = routes.map(({ upstreamId }) => upstreamId);
  await tables.modelUpstream.updateMany({
    where: { modelId, upstreamId: { notIn: upstreamIds } },
    data: { listed: false, source: 'declared' },
  });
  for (const [position, { upstreamId, upstreamModel, weight }] of routes.entries()) {
    const data = { upstreamModel, weight, position, source: 'declared', listed: true };
    await tables.modelUpstream.upsert({
      where: { modelId_upstreamId: { modelId, upstreamId } },
      create: { modelId, upstreamId, ...data },
      update: data,
    });
  }
}

/** Forgets what was learned about a model: everything, or the named part. */
export function forgetLearned(
  prisma: PrismaService,
  by: ChangedBy,
  { id, upstreamId, what }: { id: string; upstreamId?: string | undefined; what?: string | undefined },
): Promise<void> {
  const where = { modelId: id, ...(upstreamId !== undefined && { upstreamId }), ...(what !== undefined && { what }) };
  return change(prisma, async (tables) => {
    const rows = await tables.learned.findMany({ where });
    await tables.learned.deleteMany({ where });
    const chosen = rows.find((row) => row.what === CHOSEN_STRATEGY);
    if (chosen) {
      const { strategy, dialect } = await tables.model.findUniqueOrThrow({ where: { id } });
      await dropChoice(tables, by, chosen, { strategy, dialect });
    }
    await audit(tables, by, { action: 'model.forget', targetKind: 'model', targetId: id, before: { learned: rows } });
  });
}

export type StrategyChangeRow = StrategyChange & { readonly model: { readonly name: string } };

/** Strategy changes, newest first. */
export const listStrategyChanges = (
  prisma: PrismaService,
  { modelId, from, to, limit }: { modelId?: string | undefined; from?: Date; to?: Date; limit: number },
): Promise<StrategyChangeRow[]> =>
  prisma.strategyChange.findMany({
    where: {
      ...(modelId !== undefined && { modelId }),
      at: { ...(from && { gte: from }), ...(to && { lt: to }) },
    },
    include: { model: { select: { name: true } } },
    orderBy: { at: 'desc' },
    take: limit,
  });

const auditFields = (row: ModelDetail) => ({
  strategy: row.strategy,
  dialect: row.dialect,
  holdBytes: row.holdBytes,
  holdsWhole: row.holdsWhole,
  ...Object.fromEntries(
    Object.entries(settingsInEffect(row, [])).map(([name, setting]) => [name, setting?.value ?? null]),
  ),
  aliases: row.aliases,
  capabilities: row.capabilities,
  routes: row.upstreams.map(({ upstream, upstreamModel, weight }) => ({
    upstream: upstream.name,
    upstreamModel,
    weight,
  })),
});

/** Names of models by id, removed ones included, and whether they belong to the demo. */
export async function modelNames(
  prisma: PrismaService,
  ids: readonly string[],
): Promise<ReadonlyMap<string, { readonly name: string; readonly demo: boolean }>> {
  const rows = await prisma.model.findMany({
    where: { id: { in: [...ids] } },
    select: { id: true, name: true, demo: true },
  });
  return new Map(rows.map(({ id, name, demo }) => [id, { name, demo }]));
}

/** When each of these models was last used, since an instant; `teamId` undefined: by any team. */
export async function lastUses(
  prisma: PrismaService,
  { modelIds, teamId, since }: { modelIds: readonly string[]; teamId: string | undefined; since: Date },
): Promise<ReadonlyMap<string, Date>> {
  const own = teamId === undefined ? Prisma.empty : Prisma.sql`AND team_id = ${teamId}`;
  const rows = await prisma.$queryRaw<{ modelId: string; at: Date }[]>`
    SELECT wanted AS "modelId", last.at FROM unnest(${[...modelIds]}::text[]) AS wanted, LATERAL (
      SELECT at FROM turn WHERE model_id = wanted AND at >= ${since} ${own} ORDER BY at DESC LIMIT 1
    ) AS last`;
  return new Map(rows.map(({ modelId, at }) => [modelId, at]));
}
