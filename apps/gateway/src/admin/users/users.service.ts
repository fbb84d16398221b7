import type { Role, User } from '@callsmith/contracts';
import { PrismaService } from '@callsmith/data/database';
import { newId } from '@callsmith/data/ids';
import { findTeam } from '@callsmith/data/teams';
import {
  findUser,
  findUserByEmail,
  insertUser,
  listUsers,
  removeUser,
  type UserRow,
  type UserRowChange,
  updateUser,
} from '@callsmith/data/users';
import { Fault } from '@callsmith/turn';
import { Injectable } from '@nestjs/common';
import type { Caller } from '../access/caller.ts';
import { fieldFault } from '../field-fault.ts';
import type { HttpExchange } from '../http-exchange.ts';
import { LinksService } from '../session/links.service.ts';

/** The fields that determine a user's rights. */
interface Standing {
  readonly role: Role;
  readonly teamId: string | null;
}

@Injectable()
export class UsersService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly links: LinksService,
  ) {}

  async list(): Promise<{ items: User[] }> {
    return { items: (await listUsers(this.prisma)).map(userView) };
  }

  async invite(
    input: { email: string; name: string | null } & Standing,
    caller: Caller,
    http: HttpExchange,
  ): Promise<{ user: User; link: string }> {
    await this.#checkStanding(input);
    if (await findUserByEmail(this.prisma, input.email))
      throw fieldFault(
        { path: 'email', message: 'already belongs to a user' },
        { code: 'conflict', summary: `${input.email} already belongs to a user; create a password link instead.` },
      );
    const { email, name, role, teamId } = input;
    const user = await insertUser(
      this.prisma,
      { actor: caller.actor },
      { id: newId('user'), email, name, role, teamId },
    );
    return { user: userView(user), link: await this.links.make('invite', user.id, http) };
  }

  async change(
    id: string,
    {
      role,
      teamId,
      disabled,
    }: { role?: Role | undefined; teamId?: string | null | undefined; disabled?: boolean | undefined },
    caller: Caller,
  ): Promise<User> {
    const before = await this.#find(id);
    await this.#checkStanding({
      role: role ?? (before.role as Role),
      teamId: teamId === undefined ? before.teamId : teamId,
    });
    const data: UserRowChange = {
      ...(role !== undefined && { role }),
      ...(teamId !== undefined && { teamId }),
      ...(disabled !== undefined && { disabledAt: disabled ? (before.disabledAt ?? new Date()) : null }),
    };
    const after = await updateUser(this.prisma, { actor: caller.actor }, { id, action: 'user.change', data });
    if (!after) throw lastAdmin();
    return userView(after);
  }

  async remove(id: string, caller: Caller): Promise<Record<string, never>> {
    await this.#find(id);
    if (id === caller.actor)
      throw new Fault('conflict', 'You cannot delete your own account; ask another admin to do it.');
    if (!(await removeUser(this.prisma, { actor: caller.actor }, id))) throw lastAdmin();
    return {};
  }

  async resetPassword(id: string, http: HttpExchange): Promise<{ link: string }> {
    const user = await this.#find(id);
    if (user.disabledAt) throw new Fault('conflict', 'This user is disabled.');
    return { link: await this.links.make(user.passwordHash === null ? 'invite' : 'reset-password', id, http) };
  }

  async #find(id: string): Promise<UserRow> {
    const user = await findUser(this.prisma, id);
    if (!user) throw new Fault('not_found', 'User not found.');
    return user;
  }

  async #checkStanding({ role, teamId }: Standing): Promise<void> {
    const wrong = (message: string) => fieldFault({ path: 'teamId', message });
    if (role !== 'admin' && teamId === null)
      throw wrong(`is required for ${role === 'viewer' ? 'viewers' : 'editors'}`);
    if (teamId !== null && !(await findTeam(this.prisma, teamId))) throw wrong('must be an existing team');
  }
}

const lastAdmin = (): Fault => new Fault('conflict', 'This is the last admin. Make another user an admin first.');

const userView = (row: UserRow): User => ({
  id: row.id,
  email: row.email,
  name: row.name,
  role: row.role as Role,
  teamId: row.teamId,
  createdAt: row.createdAt.toISOString(),
  disabledAt: row.disabledAt?.toISOString() ?? null,
  active: row.passwordHash !== null || row.oidcSubject !== null,
});
