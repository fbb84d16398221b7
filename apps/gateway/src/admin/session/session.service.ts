import { CONFIG, type Config } from '@callsmith/config';
import type { Me, Role, ViewAddress } from '@callsmith/contracts';
import { PrismaService } from '@callsmith/data/database';
import { defaultViewsOf } from '@callsmith/data/saved-views';
import { fitsPassword, hashPassword, hashSession, newToken } from '@callsmith/data/secrets';
import {
  deleteSession,
  findUser,
  findUserByEmail,
  insertSession,
  type UserRow,
  updateUser,
} from '@callsmith/data/users';
import { Fault } from '@callsmith/turn';
import { Inject, Injectable } from '@nestjs/common';
import type { Caller } from '../access/caller.ts';
import { SESSION_COOKIE } from '../access/callers.ts';
import { KnownDevice } from '../access/known-device.ts';
import { SignInAttempts } from '../access/sign-in-attempts.ts';
import { fieldFault } from '../field-fault.ts';
import type { HttpExchange } from '../http-exchange.ts';
import { InstallationFacts } from '../installation/installation-facts.service.ts';
import { mayUse } from '../saved-views/may-use.ts';

const SESSION_SECONDS = 14 * 86_400;

/** Signs users in and out. */
@Injectable()
export class SessionService {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly prisma: PrismaService,
    private readonly facts: InstallationFacts,
    private readonly attempts: SignInAttempts,
    private readonly devices: KnownDevice,
  ) {}

  async show(caller: Caller, http: HttpExchange): Promise<Me> {
    if (caller.userId === undefined) return this.#me(adminKey, http);
    const user = await findUser(this.prisma, caller.userId);
    if (!user) throw new Fault('unauthenticated');
    return this.#me(user, http);
  }

  /** An unknown address, a disabled user and a wrong password get the same response, after the same time. */
  async signIn({ email, password }: { email: string; password: string }, http: HttpExchange): Promise<Me> {
    const device = this.devices.of(email, http);
    await this.attempts.begin(email, http.address, device);
    const user = await findUserByEmail(this.prisma, email);
    const fits = await fitsPassword(user?.passwordHash ?? null, password);
    if (!user || !fits || user.disabledAt) throw new Fault('invalid_credentials');
    await this.attempts.succeeded(email, http.address, device);
    return this.open(user, http);
  }

  /** Starts a session of a user and sets its cookie. */
  async open(user: UserRow, http: HttpExchange): Promise<Me> {
    const secret = newToken();
    const hash = hashSession(this.config.secretKey, secret);
    await insertSession(this.prisma, {
      hash,
      userId: user.id,
      expiresAt: new Date(Date.now() + SESSION_SECONDS * 1000),
    });
    http.setCookie(SESSION_COOKIE, secret, { maxAgeSeconds: SESSION_SECONDS });
    if (this.devices.of(user.email, http) === undefined) this.devices.remember(user.email, http);
    return this.#me(user, http);
  }

  async signOut(http: HttpExchange): Promise<Record<string, never>> {
    const secret = http.cookie(SESSION_COOKIE);
    if (secret !== undefined) await deleteSession(this.prisma, hashSession(this.config.secretKey, secret));
    http.setCookie(SESSION_COOKIE, '', { maxAgeSeconds: 0 });
    return {};
  }

  async changePassword(
    { current, password }: { current: string; password: string },
    caller: Caller,
    http: HttpExchange,
  ): Promise<Record<string, never>> {
    const user = caller.userId === undefined ? null : await findUser(this.prisma, caller.userId);
    if (!user) throw new Fault('forbidden', 'The admin key has no password; sign in as a user.');
    const device = this.devices.of(user.email, http);
    await this.attempts.begin(user.email, http.address, device);
    if (!(await fitsPassword(user.passwordHash, current))) throw wrongPassword();
    await this.attempts.succeeded(user.email, http.address, device);
    await updateUser(
      this.prisma,
      { actor: caller.actor },
      {
        id: user.id,
        action: 'user.password',
        data: { passwordHash: await hashPassword(password) },
        keepSession: caller.session,
      },
    );
    return {};
  }

  async #me(user: Pick<UserRow, 'id' | 'email' | 'name' | 'role' | 'teamId'>, http: HttpExchange): Promise<Me> {
    const { id, email, name, role, teamId } = user;
    const views = await defaultViewsOf(this.prisma, { userId: id, teamId: role === 'admin' ? undefined : teamId });
    return {
      user: { id, email, name, role: role as Role, teamId },
      defaultViews: Object.fromEntries(
        views
          .filter((view) => mayUse(role as Role, view))
          .map(({ screen, address }) => [screen, address as ViewAddress]),
      ),
      installation: await this.facts.about(http),
    };
  }
}

const adminKey = { id: 'admin-key', email: 'admin-key', name: 'Admin key', role: 'admin', teamId: null };

// Not 401: the session is valid.
const wrongPassword = (): Fault =>
  fieldFault(
    { path: 'current', message: 'is not your current password' },
    { summary: 'The current password is wrong.' },
  );
