import { audit, type ChangedBy, change } from '../database/change.ts';
import type { PrismaService, Tables } from '../database/prisma.ts';
import type { Prisma } from '../generated/prisma/client.ts';

const withPlaces = {
  models: { where: { listed: true, model: { removedAt: null } }, include: { model: { select: { name: true } } } },
  health: { orderBy: { at: 'desc' }, take: 1 },
} as const;

/** An upstream with its models and its last check, including its encrypted credential. */
export type UpstreamDetail = Prisma.UpstreamGetPayload<{ include: typeof withPlaces }>;

/** Upstreams by name, without removed ones. */
export const listUpstreams = (prisma: PrismaService): Promise<UpstreamDetail[]> =>
  prisma.upstream.findMany({ where: { removedAt: null }, include: withPlaces, orderBy: { name: 'asc' } });

/** Null: unknown upstream, or removed. */
export const findUpstream = (prisma: PrismaService, id: string): Promise<UpstreamDetail | null> =>
  prisma.upstream.findFirst({ where: { id, removedAt: null }, include: withPlaces });

/** True if another upstream than `except` has this name. Names of removed ones are free. */
export const upstreamIsNamed = async (prisma: PrismaService, name: string, except?: string): Promise<boolean> =>
  (await prisma.upstream.count({ where: { name, removedAt: null, ...(except && { id: { not: except } }) } })) > 0;

/** Adds an upstream. */
export function insertUpstream(
  prisma: PrismaService,
  by: ChangedBy,
  { data, headers }: { data: Prisma.UpstreamUncheckedCreateInput; headers: readonly string[] },
): Promise<UpstreamDetail> {
  return change(prisma, async (tables) => {
    await freeName(tables, data.name);
    const row = await tables.upstream.create({ data, include: withPlaces });
    await audit(tables, by, {
      action: 'upstream.add',
      targetKind: 'upstream',
      targetId: row.id,
      after: auditFields(row, headers),
    });
    return row;
  });
}

/** Changes an upstream. When its address changes, what was learned at the old one is forgotten. */
export function updateUpstream(
  prisma: PrismaService,
  by: ChangedBy,
  {
    id,
    data,
    moved,
    headerNames,
  }: { id: string; data: Prisma.UpstreamUncheckedUpdateInput; moved: boolean; headerNames: HeaderNames },
): Promise<UpstreamDetail> {
  return change(prisma, async (tables) => {
    const before = await tables.upstream.findUniqueOrThrow({ where: { id } });
    if (typeof data.name === 'string') await freeName(tables, data.name, id);
    if (moved) await forgetPlace(tables, id);
    const forgotten = moved ? { engineVersion: null } : {};
    const row = await tables.upstream.update({ where: { id }, data: { ...data, ...forgotten }, include: withPlaces });
    await audit(tables, by, {
      action: 'upstream.change',
      targetKind: 'upstream',
      targetId: id,
      before: auditFields(before, headerNames.before),
      after: auditFields(row, headerNames.after),
    });
    return row;
  });
}

/** Removes an upstream; its history stays. */
export function removeUpstream(
  prisma: PrismaService,
  by: ChangedBy,
  { id, headers }: { id: string; headers: readonly string[] },
): Promise<void> {
  return change(prisma, async (tables) => {
    const row = await tables.upstream.update({
      where: { id },
      data: { removedAt: new Date(), credential: null, credentialKeyId: null, headers: null, headersKeyId: null },
    });
    await audit(tables, by, {
      action: 'upstream.remove',
      targetKind: 'upstream',
      targetId: id,
      before: auditFields(row, headers),
    });
  });
}

/** The checks of an upstream since an instant, oldest first. */
export const listHealth = (prisma: PrismaService, upstreamId: string, since: Date) =>
  prisma.upstreamHealth.findMany({ where: { upstreamId, at: { gte: since } }, orderBy: { at: 'asc' } });

async function forgetPlace(tables: Tables, upstreamId: string): Promise<void> {
  await tables.learned.deleteMany({ where: { upstreamId } });
  await tables.upstreamHealth.deleteMany({ where: { upstreamId } });
  await tables.modelUpstream.updateMany({ where: { upstreamId, source: 'discovered' }, data: { listed: false } });
}

/** A removed upstream's row is kept for its history, under a name that frees the original one. */
async function freeName(tables: Tables, name: string, except?: string): Promise<void> {
  const taken = await tables.upstream.findUnique({ where: { name } });
  if (taken?.removedAt && taken.id !== except)
    await tables.upstream.update({ where: { id: taken.id }, data: { name: `${name} (${taken.id})` } });
}

/** Names of further headers, which are stored encrypted in the row. */
export interface HeaderNames {
  readonly before: readonly string[];
  readonly after: readonly string[];
}

const auditFields = (
  row: {
    name: string;
    baseUrl: string;
    kind: string | null;
    api: string;
    enabled: boolean;
    credential: string | null;
    credentialHeader: string | null;
    credentialScheme: string | null;
    connectTimeoutMs: number;
    firstByteTimeoutMs: number;
    idleTimeoutMs: number;
    maxConnections: number;
  },
  headers: readonly string[],
) => ({
  name: row.name,
  baseUrl: row.baseUrl,
  kind: row.kind,
  api: row.api,
  enabled: row.enabled,
  hasCredential: row.credential !== null,
  credentialHeader: row.credentialHeader,
  credentialScheme: row.credentialScheme,
  headers,
  connectTimeoutMs: row.connectTimeoutMs,
  firstByteTimeoutMs: row.firstByteTimeoutMs,
  idleTimeoutMs: row.idleTimeoutMs,
  maxConnections: row.maxConnections,
});
