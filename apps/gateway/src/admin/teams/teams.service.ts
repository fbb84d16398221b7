import type { Team } from '@callsmith/contracts';
import { PrismaService } from '@callsmith/data/database';
import { newId } from '@callsmith/data/ids';
import { PostgresConfigSnapshot } from '@callsmith/data/snapshot';
import {
  findTeam,
  insertTeam,
  listTeams,
  removeTeam,
  type TeamRow,
  teamIsNamed,
  updateTeam,
} from '@callsmith/data/teams';
import { Fault } from '@callsmith/turn';
import { Injectable } from '@nestjs/common';
import { type Caller, confinedTo } from '../access/caller.ts';
import { nameTaken } from '../field-fault.ts';
import { managedBy, refuseManaged } from '../managed.ts';

@Injectable()
export class TeamsService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly snapshot: PostgresConfigSnapshot,
  ) {}

  async list(caller: Caller): Promise<{ items: Team[] }> {
    return { items: (await listTeams(this.prisma, confinedTo(caller))).map(teamView) };
  }

  async create({ name, storesBodies }: { name: string; storesBodies: boolean }, caller: Caller): Promise<Team> {
    await this.#refuseTaken(name);
    return teamView(await insertTeam(this.prisma, { actor: caller.actor }, { id: newId('team'), name, storesBodies }));
  }

  async change(
    id: string,
    { name, storesBodies }: { name?: string | undefined; storesBodies?: boolean | undefined },
    caller: Caller,
  ): Promise<Team> {
    const team = await findTeam(this.prisma, id);
    if (!team) throw new Fault('not_found', 'Team not found.');
    refuseManaged(team, 'This team');
    if (name !== undefined) await this.#refuseTaken(name, id);
    const row = await updateTeam(this.prisma, { actor: caller.actor }, id, {
      ...(name !== undefined && { name }),
      ...(storesBodies !== undefined && { storesBodies }),
    });
    await this.snapshot.refresh();
    return teamView(row);
  }

  /** Deletes a team without users and keys. */
  async remove(id: string, caller: Caller): Promise<Record<string, never>> {
    const team = await findTeam(this.prisma, id);
    if (!team) throw new Fault('not_found', 'Team not found.');
    refuseManaged(team, 'This team');
    if (team.demo) throw new Fault('conflict', 'The demo’s team is removed with its data, on Overview.');
    const kept = await removeTeam(this.prisma, { actor: caller.actor }, id);
    if (kept?.only) throw new Fault('conflict', 'This is the only team; add another one first.');
    if (kept) {
      const { users, keys } = kept;
      throw new Fault(
        'conflict',
        `${team.name} has ${users} user${users === 1 ? '' : 's'} and ${keys} active key${keys === 1 ? '' : 's'}. Move the users to another team and revoke the keys first.`,
      );
    }
    await this.snapshot.refresh();
    return {};
  }

  async #refuseTaken(name: string, except?: string): Promise<void> {
    if (await teamIsNamed(this.prisma, name, except)) throw nameTaken('a team', name);
  }
}

const teamView = ({ id, name, storesBodies, demo, createdAt, managedBy: by, _count }: TeamRow): Team => ({
  id,
  name,
  storesBodies,
  demo,
  createdAt: createdAt.toISOString(),
  keys: _count.keys,
  managedBy: managedBy({ managedBy: by }),
});
