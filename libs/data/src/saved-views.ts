import { audit, type ChangedBy } from './database/change.ts';
import type { PrismaService } from './database/prisma.ts';
import { Prisma } from './generated/prisma/client.ts';
import { newId } from './ids.ts';

/**
 * The reader of views. `teamId`: the team whose views are visible besides the reader's own; undefined: those of all
 * teams, null: of none.
 */
export interface ViewReader {
  /** Undefined: no user, who has no views. */
  readonly userId: string | undefined;
  readonly teamId: string | null | undefined;
}

/** The owner of a view: one user or one team. */
export type ViewOwner =
  | { readonly userId: string; readonly teamId: null }
  | { readonly userId: null; readonly teamId: string };

const shown = (userId: string | undefined) =>
  ({
    team: { select: { name: true } },
    defaults: { where: { userId: userId ?? '' }, select: { screen: true } },
  }) as const;

/** A view with its team's name; `defaults` has an entry if it is the reader's default. */
export type SavedViewRow = Prisma.SavedViewGetPayload<{ include: ReturnType<typeof shown> }>;

const visible = ({ userId, teamId }: ViewReader): Prisma.SavedViewWhereInput => ({
  OR: [
    ...(userId === undefined ? [] : [{ userId }]),
    teamId === undefined ? { teamId: { not: null } } : { teamId: teamId ?? '' },
  ],
});

/** The views that are visible to a reader, by name. */
export const listViews = (prisma: PrismaService, reader: ViewReader): Promise<SavedViewRow[]> =>
  prisma.savedView.findMany({
    where: visible(reader),
    include: shown(reader.userId),
    orderBy: [{ name: 'asc' }, { id: 'asc' }],
  });

/** Null: no view of this id is visible to the reader. */
export const findView = (prisma: PrismaService, reader: ViewReader, id: string): Promise<SavedViewRow | null> =>
  prisma.savedView.findFirst({ where: { id, ...visible(reader) }, include: shown(reader.userId) });

/** The views with which a reader's menu opens screens, as far as they are still visible. */
export const defaultViewsOf = (
  prisma: PrismaService,
  reader: ViewReader,
): Promise<{ screen: string; userId: string | null; address: unknown }[]> =>
  prisma.savedView.findMany({
    where: { ...visible(reader), defaults: { some: { userId: reader.userId ?? '' } } },
    select: { screen: true, userId: true, address: true },
  });

/** How many views an owner has. */
export const countViews = (prisma: PrismaService, owner: ViewOwner): Promise<number> =>
  prisma.savedView.count({ where: owner });

/** Saves a view; a team's is audited. Undefined: the owner has one of this name for this screen. */
export const insertView = (
  prisma: PrismaService,
  by: ChangedBy,
  { address, ...data }: ViewOwner & { readonly screen: string; readonly name: string; readonly address: object },
): Promise<string | undefined> =>
  unlessTaken(async () => {
    const id = newId('view');
    await prisma.$transaction(async (tables) => {
      await tables.savedView.create({ data: { id, ...data, address } });
      if (data.teamId === null) return;
      const { teamId, screen, name } = data;
      const after = { screen, name, address };
      await audit(tables, by, { action: 'view.add', targetKind: 'view', targetId: id, teamId, after });
    });
    return id;
  });

/** Renames a view or replaces its content; a team's is audited. Undefined: the name is taken. */
export const updateView = (
  prisma: PrismaService,
  by: ChangedBy,
  { id, teamId, name, address }: Pick<SavedViewRow, 'id' | 'teamId' | 'name' | 'address'>,
  data: { readonly name?: string; readonly address?: object },
): Promise<string | undefined> =>
  unlessTaken(async () => {
    await prisma.$transaction(async (tables) => {
      await tables.savedView.update({ where: { id }, data });
      if (teamId === null) return;
      const before = { name, address };
      const after = { ...before, ...data };
      await audit(tables, by, { action: 'view.change', targetKind: 'view', targetId: id, teamId, before, after });
    });
    return id;
  });

/** Makes a view a user's default for its screen, or removes that. */
export async function setDefaultView(
  prisma: PrismaService,
  userId: string,
  { id: viewId, screen }: Pick<SavedViewRow, 'id' | 'screen'>,
  isDefault: boolean,
): Promise<void> {
  if (!isDefault) {
    await prisma.defaultView.deleteMany({ where: { userId, viewId } });
    return;
  }
  await prisma.defaultView.upsert({
    where: { userId_screen: { userId, screen } },
    create: { userId, screen, viewId },
    update: { viewId },
  });
}

/** Deletes a view; a team's is audited. */
export async function removeView(
  prisma: PrismaService,
  by: ChangedBy,
  { id, teamId, screen, name }: Pick<SavedViewRow, 'id' | 'teamId' | 'screen' | 'name'>,
): Promise<void> {
  await prisma.$transaction(async (tables) => {
    await tables.savedView.deleteMany({ where: { id } });
    if (teamId === null) return;
    const before = { screen, name };
    await audit(tables, by, { action: 'view.remove', targetKind: 'view', targetId: id, teamId, before });
  });
}

async function unlessTaken<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002') return undefined;
    throw error;
  }
}
