import type { api, InputOf, SavedView, ViewAddress } from '@callsmith/contracts';
import { PrismaService } from '@callsmith/data/database';
import {
  countViews,
  findView,
  insertView,
  listViews,
  removeView,
  type SavedViewRow,
  setDefaultView,
  updateView,
  type ViewOwner,
  type ViewReader,
} from '@callsmith/data/saved-views';
import { findTeam } from '@callsmith/data/teams';
import { Fault } from '@callsmith/turn';
import { Injectable } from '@nestjs/common';
import { type Caller, confinedTo, isAtLeast, refuseOtherTeam } from '../access/caller.ts';
import { nameTaken } from '../field-fault.ts';
import { mayUse } from './may-use.ts';

type NewView = NonNullable<InputOf<typeof api.savedViews.create>['body']>;
type ViewChange = NonNullable<InputOf<typeof api.savedViews.change>['body']>;

/** Maximum views of one user or one team. */
const MOST_VIEWS = 100;

/** Named filters of requests: each user's own, and those of teams, which are managed by their editors and by admins. */
@Injectable()
export class SavedViewsService {
  constructor(private readonly prisma: PrismaService) {}

  async list(caller: Caller): Promise<{ items: SavedView[] }> {
    const rows = await listViews(this.prisma, readerOf(caller));
    return { items: rows.filter((row) => mayUse(caller.role, row)).map((row) => viewOf(row, caller)) };
  }

  async create({ screen, name, address, teamId }: NewView, caller: Caller): Promise<SavedView> {
    const owner = await this.#owner(teamId ?? undefined, caller);
    if ((await countViews(this.prisma, owner)) >= MOST_VIEWS)
      throw new Fault('conflict', `There are already ${MOST_VIEWS} views. Delete one of them first.`);
    const id = await insertView(this.prisma, { actor: caller.actor }, { ...owner, screen, name, address });
    if (id === undefined) throw nameTaken('a view', name);
    return this.#shown(id, caller);
  }

  async change(id: string, { isDefault, ...data }: ViewChange, caller: Caller): Promise<SavedView> {
    const row = await this.#find(id, caller);
    if (Object.values(data).some((value) => value !== undefined)) {
      mustChange(caller, row);
      const changes = {
        ...(data.name !== undefined && { name: data.name }),
        ...(data.address && { address: data.address }),
      };
      if ((await updateView(this.prisma, { actor: caller.actor }, row, changes)) === undefined)
        throw nameTaken('a view', data.name ?? row.name);
    }
    if (isDefault !== undefined) {
      if (caller.userId === undefined)
        throw new Fault('forbidden', 'The admin key has no default view; sign in as a user.');
      await setDefaultView(this.prisma, caller.userId, row, isDefault);
    }
    return this.#shown(id, caller);
  }

  async remove(id: string, caller: Caller): Promise<Record<string, never>> {
    const row = await this.#find(id, caller);
    mustChange(caller, row);
    await removeView(this.prisma, { actor: caller.actor }, row);
    return {};
  }

  async #owner(teamId: string | undefined, caller: Caller): Promise<ViewOwner> {
    if (teamId === undefined) {
      if (caller.userId === undefined)
        throw new Fault('forbidden', 'The admin key has no views of its own; name a team, or sign in as a user.');
      return { userId: caller.userId, teamId: null };
    }
    refuseOtherTeam(caller, teamId, 'team');
    if (!(await findTeam(this.prisma, teamId))) throw new Fault('not_found', 'Team not found.', { param: 'teamId' });
    if (!isAtLeast(caller.role, 'editor')) throw forTeams();
    return { userId: null, teamId };
  }

  /** A view of another user or another team is a 404 (security 29). */
  async #find(id: string, caller: Caller): Promise<SavedViewRow> {
    const row = await findView(this.prisma, readerOf(caller), id);
    if (!row || !mayUse(caller.role, row)) throw new Fault('not_found', 'View not found.');
    return row;
  }

  async #shown(id: string, caller: Caller): Promise<SavedView> {
    return viewOf(await this.#find(id, caller), caller);
  }
}

const readerOf = (caller: Caller): ViewReader => ({ userId: caller.userId, teamId: confinedTo(caller) });

const mayChange = (caller: Caller, { userId }: SavedViewRow): boolean =>
  userId === null ? isAtLeast(caller.role, 'editor') : userId === caller.userId;

function mustChange(caller: Caller, row: SavedViewRow): void {
  if (!mayChange(caller, row)) throw forTeams();
}

const forTeams = (): Fault => new Fault('forbidden', 'Views of a team are managed by its editors and by admins.');

function viewOf(row: SavedViewRow, caller: Caller): SavedView {
  return {
    id: row.id,
    screen: row.screen as SavedView['screen'],
    name: row.name,
    address: row.address as ViewAddress,
    teamId: row.teamId,
    teamName: row.team?.name ?? null,
    createdAt: row.createdAt.toISOString(),
    mayChange: mayChange(caller, row),
    isDefault: row.defaults.length > 0,
  };
}
