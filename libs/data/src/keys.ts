import { audit, type ChangedBy, change } from './database/change.ts';
import type { PrismaService, Tables } from './database/prisma.ts';
import type { Prisma } from './generated/prisma/client.ts';
import { budgetsIn, type KeyBudget } from './limits/key-budgets.ts';

const withTeam = { team: { select: { name: true, storesBodies: true } } } as const;

/** A key with its team's name, without its hash. */
export type KeyRow = Omit<Prisma.ApiKeyGetPayload<{ include: typeof withTeam }>, 'hash'>;
export type NewKeyRow = Prisma.ApiKeyUncheckedCreateInput;
export type KeyRowChange = Prisma.ApiKeyUncheckedUpdateInput;

const shown = { include: withTeam, omit: { hash: true } } as const;

/** Keys, newest first. `teamId` undefined: of all teams; `before`: older than this id; `q`: words in their names. */
export function listKeys(
  prisma: PrismaService,
  {
    teamId,
    revoked,
    before,
    q,
    limit,
  }: {
    teamId: string | undefined;
    revoked: boolean;
    before: string | undefined;
    q?: string | undefined;
    limit: number;
  },
): Promise<KeyRow[]> {
  return prisma.apiKey.findMany({
    where: {
      ...(teamId !== undefined && { teamId }),
      ...(!revoked && { revokedAt: null }),
      ...(before !== undefined && { id: { lt: before } }),
      ...(q !== undefined && { AND: q.split(/\s+/).filter(Boolean).map(named) }),
    },
    orderBy: { id: 'desc' },
    take: limit,
    ...shown,
  });
}

/** Matches a key by part of its owner, its hint, its team or its last client, regardless of case. */
function named(word: string): Prisma.ApiKeyWhereInput {
  // A search has no wildcards: they are ordinary characters.
  const holds = { contains: word.replace(/[\\%_]/g, '\\$&'), mode: 'insensitive' } as const;
  return { OR: [{ holder: holds }, { hint: holds }, { team: { name: holds } }, { lastClient: holds }] };
}

/** Null: unknown key. */
export const findKey = (prisma: PrismaService, id: string): Promise<KeyRow | null> =>
  prisma.apiKey.findUnique({ where: { id }, ...shown });

/** The existing ones of some keys, unordered. */
export const findKeys = (prisma: PrismaService, ids: readonly string[]): Promise<KeyRow[]> =>
  prisma.apiKey.findMany({ where: { id: { in: [...ids] } }, ...shown });

/** The budgets of those of some keys that have one, by the key's id. */
export async function budgetsOfKeys(
  prisma: PrismaService,
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly KeyBudget[]>> {
  const rows = await prisma.apiKey.findMany({
    where: { id: { in: [...ids] }, OR: [{ tokenBudget: { not: null } }, { spendBudget: { not: null } }] },
    select: { id: true, tokenBudget: true, spendBudget: true, budgetPeriod: true },
  });
  return new Map(rows.map((row) => [row.id, budgetsIn('key', row)]));
}

/** Adds keys, all or none. */
export function insertKeys(prisma: PrismaService, by: ChangedBy, keys: readonly NewKeyRow[]): Promise<KeyRow[]> {
  return change(prisma, (tables) => insertEach(tables, by, keys));
}

/** Adds the keys whose hash does not exist yet; the rows' ids show which were added. */
export function insertMissingKeys(prisma: PrismaService, by: ChangedBy, keys: readonly NewKeyRow[]): Promise<KeyRow[]> {
  return change(prisma, async (tables) => {
    const inserted = await tables.apiKey.createManyAndReturn({ data: [...keys], skipDuplicates: true, ...shown });
    for (const row of inserted) await auditNew(tables, by, 'key.import', row);
    return inserted;
  });
}

/** Those of some peppered hashes that a key has, revoked ones included. */
export async function knownHashes(prisma: PrismaService, hashes: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await prisma.apiKey.findMany({ where: { hash: { in: [...hashes] } }, select: { hash: true } });
  return new Set(rows.map(({ hash }) => hash));
}

/** Changes a key; `action` is the audit's verb. */
export function updateKey(
  prisma: PrismaService,
  by: ChangedBy,
  id: string,
  action: string,
  data: KeyRowChange,
): Promise<KeyRow> {
  return change(prisma, (tables) => updateOne(tables, by, { id, action, data }));
}

/** Changes several keys, all or none. */
export function updateKeys(
  prisma: PrismaService,
  by: ChangedBy,
  { ids, ...changed }: { ids: readonly string[]; action: string; data: KeyRowChange },
): Promise<KeyRow[]> {
  return change(prisma, async (tables) => {
    const rows: KeyRow[] = [];
    for (const id of ids) rows.push(await updateOne(tables, by, { id, ...changed }));
    return rows;
  });
}

/** Adds a key's successor and lets the old one end at `endsAt`. */
export function rotateKey(
  prisma: PrismaService,
  by: ChangedBy,
  { id, endsAt, successor }: { id: string; endsAt: Date; successor: NewKeyRow },
): Promise<KeyRow> {
  return change(prisma, async (tables) => {
    const [made] = await insertEach(tables, by, [successor]);
    await updateOne(tables, by, { id, action: 'key.rotate', data: { expiresAt: endsAt, rotatedTo: successor.id } });
    return made!;
  });
}

async function insertEach(tables: Tables, by: ChangedBy, keys: readonly NewKeyRow[]): Promise<KeyRow[]> {
  const rows: KeyRow[] = [];
  for (const data of keys) {
    const row = await tables.apiKey.create({ data, ...shown });
    await auditNew(tables, by, 'key.issue', row);
    rows.push(row);
  }
  return rows;
}

const auditNew = (tables: Tables, by: ChangedBy, action: string, row: KeyRow): Promise<void> =>
  audit(tables, by, { action, targetKind: 'key', targetId: row.id, teamId: row.teamId, after: row });

async function updateOne(
  tables: Tables,
  by: ChangedBy,
  { id, action, data }: { id: string; action: string; data: KeyRowChange },
): Promise<KeyRow> {
  const before = await tables.apiKey.findUnique({ where: { id }, ...shown });
  const after = await tables.apiKey.update({ where: { id }, data, ...shown });
  await audit(tables, by, { action, targetKind: 'key', targetId: id, teamId: after.teamId, before, after });
  return after;
}
