import { CONFIG, type Config } from '@callsmith/config';
import type { LinkKind, Me } from '@callsmith/contracts';
import { PrismaService } from '@callsmith/data/database';
import { hashLink, hashPassword, newToken } from '@callsmith/data/secrets';
import { consumeLink, findLink, findUser, insertLinks, updateUser } from '@callsmith/data/users';
import { Fault } from '@callsmith/turn';
import { Inject, Injectable } from '@nestjs/common';
import { SignInAttempts } from '../access/sign-in-attempts.ts';
import { fieldFault } from '../field-fault.ts';
import type { HttpExchange } from '../http-exchange.ts';
import { SessionService } from './session.service.ts';

/** How long a link is valid. */
export const LINK_MS = 72 * 3_600_000;

/** The page of a link; its token is in the fragment, which no server logs. */
export const linkTo = (http: HttpExchange, token: string): string => `${http.baseUrl}/link#${token}`;

/**
 * Links that work once: to sign in, to accept an invitation, to choose a new password. Those that hand over keys are
 * validated here too.
 */
@Injectable()
export class LinksService {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly prisma: PrismaService,
    private readonly session: SessionService,
    private readonly attempts: SignInAttempts,
  ) {}

  /** Creates a link for a user; the previous one of its kind stops working. */
  async make(kind: 'invite' | 'reset-password', userId: string, http: HttpExchange): Promise<string> {
    const token = newToken();
    const expiresAt = new Date(Date.now() + LINK_MS);
    await insertLinks(this.prisma, [{ hash: this.#hash(token), kind, userId, expiresAt }]);
    return linkTo(http, token);
  }

  async inspect(
    token: string,
    http: HttpExchange,
  ): Promise<{ kind: LinkKind; email: string | null; expiresAt: string }> {
    await this.attempts.beginLink(http.address);
    const link = await findLink(this.prisma, this.#hash(token));
    if (!link) throw new Fault('link_not_valid');
    await this.attempts.linkWasGood(http.address);
    const user = link.userId === null ? null : await findUser(this.prisma, link.userId);
    return { kind: link.kind, email: user?.email ?? null, expiresAt: link.expiresAt.toISOString() };
  }

  /** Uses up a link and signs its user in; sets the password if one is given. */
  async use({ token, password }: { token: string; password?: string | undefined }, http: HttpExchange): Promise<Me> {
    const found = await findLink(this.prisma, this.#hash(token));
    if (!found || found.kind === 'key' || found.kind === 'connect') throw new Fault('link_not_valid');
    if (found.kind !== 'sign-in' && password === undefined) throw passwordMissing();
    const link = await consumeLink(this.prisma, this.#hash(token));
    const user = link?.userId ? await findUser(this.prisma, link.userId) : null;
    if (!user || user.disabledAt) throw new Fault('link_not_valid');
    if (password !== undefined) await this.#setPassword(user.id, password, found.kind);
    return this.session.open(user, http);
  }

  async #setPassword(id: string, password: string, kind: LinkKind): Promise<void> {
    const data = { passwordHash: await hashPassword(password) };
    await updateUser(this.prisma, { actor: id, reason: `by a link: ${kind}` }, { id, action: 'user.password', data });
  }

  #hash(token: string): string {
    return hashLink(this.config.secretKey, token);
  }
}

const passwordMissing = (): Fault =>
  fieldFault({ path: 'password', message: 'is required' }, { code: 'missing_parameter', summary: 'Enter a password.' });
