import { createHash, timingSafeEqual } from 'node:crypto';
import { CONFIG, type Config } from '@callsmith/config';
import type { Role } from '@callsmith/contracts';
import { PrismaService } from '@callsmith/data/database';
import { hashKeySession, hashSession } from '@callsmith/data/secrets';
import { keyOfSession, userOfSession } from '@callsmith/data/users';
import { Fault } from '@callsmith/turn';
import { Inject, Injectable } from '@nestjs/common';
import type { HttpExchange } from '../http-exchange.ts';
import { type Caller, nobody } from './caller.ts';

/** Name of the cookie that carries a session's secret. */
export const SESSION_COOKIE = 'callsmith_session';

/** Name of the cookie of a key's owner; it is sent only to `CONNECT_PATH`. */
export const CONNECT_COOKIE = 'callsmith_connect';
export const CONNECT_PATH = '/api/connect';

/**
 * Identifies the caller of the admin API: by `X-Admin-Key`, else by session. API keys of the inference routes are
 * ignored.
 */
@Injectable()
export class Callers {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly prisma: PrismaService,
  ) {}

  /** Throws a 401 if neither is valid. */
  async callerOf(http: HttpExchange): Promise<Caller> {
    const key = http.header('x-admin-key');
    if (key !== undefined) return this.#byKey(key);
    const secret = http.cookie(SESSION_COOKIE);
    if (secret === undefined) throw new Fault('unauthenticated');
    return this.#bySession(secret);
  }

  /** The owner of a key, identified only by the cookie of a connect link. Throws a 401. */
  async ownerOf(http: HttpExchange): Promise<Caller> {
    const secret = http.cookie(CONNECT_COOKIE);
    if (secret === undefined) throw new Fault('unauthenticated', 'Open the connect link of your key first.');
    const ownKey = await keyOfSession(this.prisma, hashKeySession(this.config.secretKey, secret));
    if (!ownKey)
      throw new Fault(
        'unauthenticated',
        'This page has expired or its key was revoked or rotated. Ask for a new link.',
      );
    return { ...nobody, actor: ownKey.id, role: 'key-owner', ownKey };
  }

  #byKey(presentedKey: string): Caller {
    const { key } = this.config.admin;
    if (key === undefined || !same(presentedKey, key))
      throw new Fault('unauthenticated', 'X-Admin-Key is not the ADMIN_KEY of this installation.');
    return { actor: 'admin-key', role: 'admin', userId: undefined, teamId: undefined, session: undefined };
  }

  async #bySession(secret: string): Promise<Caller> {
    const session = hashSession(this.config.secretKey, secret);
    const user = await userOfSession(this.prisma, session);
    if (!user) throw new Fault('unauthenticated', 'Your session has expired. Sign in again.');
    const { id, role, teamId } = user;
    return { actor: id, role: role as Role, userId: id, teamId: teamId ?? undefined, session };
  }
}

/** Compares in constant time, so that not even the length leaks. */
const same = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b));

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
