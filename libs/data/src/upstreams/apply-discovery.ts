import { otherBaseUrl } from '@callsmith/contracts';
import { audit, changed } from '../database/change.ts';
import type { PrismaService, Tables } from '../database/prisma.ts';
import { newId } from '../ids.ts';
import type { Discovered } from './discover.ts';
import type { DiscoveredModel } from './discovered-model.ts';

type UpstreamRow = NonNullable<Awaited<ReturnType<Tables['upstream']['findUnique']>>>;

/**
 * Sets an upstream's models to what it lists: new ones are added, missing ones are no longer routed there, and admins'
 * declarations stay. Notifies gateways only if something changed. Returns the new names.
 */
export function applyDiscovery(prisma: PrismaService, upstreamId: string, found: Discovered): Promise<string[]> {
  return prisma.$transaction(
    async (tables) => {
      // One at a time per upstream: several gateways may run a check at the same time.
      await tables.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${upstreamId}, 5275172))`;
      const upstream = await tables.upstream.findUnique({ where: { id: upstreamId } });
      if (!upstream || upstream.removedAt) return [];
      const engine = await applyEngine(tables, upstream, found);
      const { added, touched } = await applyModels(tables, upstream, found.models);
      const unlisted = await tables.modelUpstream.updateMany({
        where: {
          upstreamId,
          listed: true,
          source: 'discovered',
          upstreamModel: { notIn: found.models.map(({ name }) => name) },
        },
        data: { listed: false },
      });
      if (engine || touched || unlisted.count > 0) await changed(tables);
      return added;
    },
    { maxWait: 5_000, timeout: 30_000 },
  );
}

async function applyEngine(tables: Tables, upstream: UpstreamRow, found: Discovered): Promise<boolean> {
  const kind = upstream.kindSource === 'declared' && upstream.kind !== null ? upstream.kind : found.kind;
  const engineVersion = found.engineVersion ?? null;
  const elsewhere = otherBaseUrl(upstream.baseUrl) === found.baseUrl;
  if (kind === upstream.kind && engineVersion === upstream.engineVersion && !elsewhere) return false;
  await tables.upstream.update({
    where: { id: upstream.id },
    data: {
      kind,
      engineVersion,
      ...(elsewhere && { baseUrl: found.baseUrl }),
      ...(kind === upstream.kind ? {} : { kindSource: 'discovered' }),
    },
  });
  if (elsewhere)
    await audit(
      tables,
      { actor: 'discovery' },
      {
        action: 'upstream.change',
        targetKind: 'upstream',
        targetId: upstream.id,
        before: { baseUrl: upstream.baseUrl },
        after: { baseUrl: found.baseUrl },
      },
    );
  // Another version may support tools that the previous one did not (D-25).
  if (upstream.engineVersion !== null && engineVersion !== upstream.engineVersion)
    await tables.learned.deleteMany({ where: { upstreamId: upstream.id } });
  return true;
}

async function applyModels(tables: Tables, upstream: UpstreamRow, models: readonly DiscoveredModel[]) {
  const names = models.map(({ name }) => name);
  const existing = await tables.model.findMany({ where: { name: { in: names } }, include: { upstreams: true } });
  const byName = new Map(existing.map((model) => [model.name, model]));
  // If a manually added model has the same name there, the discovered one is meant.
  const places = await tables.modelUpstream.findMany({
    where: { upstreamId: upstream.id },
    include: { model: true },
    orderBy: { source: 'asc' },
  });
  const byPlace = new Map(places.map((place) => [place.upstreamModel, place]));
  const added: string[] = [];
  let touched = false;
  for (const model of models) {
    const place = byPlace.get(model.name);
    const row = place?.model ?? byName.get(model.name);
    if (!row) {
      await addModel(tables, upstream, model);
      added.push(model.name);
      touched = true;
      continue;
    }
    if (!place) {
      // Adding an upstream restores its removed models; a later check restores nothing.
      if (row.removedAt && row.removedAt < upstream.createdAt) await comeBack(tables, upstream, row);
      const position = byName.get(model.name)?.upstreams.length ?? 0;
      await tables.modelUpstream.create({
        data: { modelId: row.id, upstreamId: upstream.id, upstreamModel: model.name, position },
      });
      touched = true;
    } else if (!place.listed && place.source === 'discovered') {
      await tables.modelUpstream.update({
        where: { modelId_upstreamId: { modelId: row.id, upstreamId: upstream.id } },
        data: { listed: true },
      });
      touched = true;
    }
    if (await refreshModel(tables, row, model)) touched = true;
  }
  return { added, touched };
}

async function addModel(tables: Tables, upstream: UpstreamRow, model: DiscoveredModel): Promise<void> {
  const id = newId('model');
  await tables.model.create({
    data: {
      id,
      name: model.name,
      demo: upstream.origin === 'demo',
      contextLength: model.contextLength ?? null,
      contextSource: model.contextLength === undefined ? 'default' : 'discovered',
      capabilities: model.tools === undefined ? {} : { tools: { value: model.tools, source: 'discovered' } },
      upstreams: { create: { upstreamId: upstream.id, upstreamModel: model.name } },
    },
  });
  await audit(
    tables,
    { actor: 'discovery' },
    { action: 'model.add', targetKind: 'model', targetId: id, after: { name: model.name, upstream: upstream.name } },
  );
}

async function comeBack(tables: Tables, upstream: UpstreamRow, { id, name }: { id: string; name: string }) {
  await tables.model.update({ where: { id }, data: { removedAt: null } });
  await audit(
    tables,
    { actor: 'discovery' },
    { action: 'model.add', targetKind: 'model', targetId: id, after: { name, upstream: upstream.name } },
  );
}

type KnownModel = { id: string; contextLength: number | null; contextSource: string; capabilities: unknown };

async function refreshModel(tables: Tables, row: KnownModel, model: DiscoveredModel): Promise<boolean> {
  const context =
    model.contextLength !== undefined && row.contextSource !== 'declared' && row.contextLength !== model.contextLength
      ? { contextLength: model.contextLength, contextSource: 'discovered' }
      : undefined;
  const capabilities = row.capabilities as { tools?: { value: boolean; source: string } };
  const tools =
    model.tools !== undefined && capabilities.tools?.source !== 'declared' && capabilities.tools?.value !== model.tools
      ? { capabilities: { ...capabilities, tools: { value: model.tools, source: 'discovered' } } }
      : undefined;
  if (!context && !tools) return false;
  await tables.model.update({ where: { id: row.id }, data: { ...context, ...tools } });
  return true;
}
