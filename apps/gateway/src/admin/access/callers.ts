import { createHash, timingSafeEqual } from 'node:crypto';
import { CONFIG, type Config } from '@callsmith/config';
import type { Role } from '@callsmith/contracts';
import { PrismaService } from '@callsmith/data/database';
import { hashSession } from '@callsmith/data/secrets';
import { userOfSession } from '@callsmith/data/users';
import { Fault } from '@callsmith/turn';
import { Inject, Injectable } from '@nestjs/common';
import type { Exchange } from '../exchange.ts';
import type { Caller } from './caller.ts';

/** Name of the cookie that carries a session's secret. */
export const SESSION_COOKIE = 'callsmith_session';

/** Finds out who calls the admin API: by `X-Admin-Key`, else by session. API keys of the inference routes count for nothing. */
@Injectable()
export class Callers {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly prisma: PrismaService,
  ) {}

  /** Throws a 401 where neither is good. */
  async callerOf(http: Exchange): Promise<Caller> {
    const key = http.header('x-admin-key');
    if (key !== undefined) return this.#byKey(key);
    const secret = http.cookie(SESSION_COOKIE);
    if (secret === undefined) throw new Fault('unauthenticated');
    return this.#bySession(secret);
  }

  #byKey(given: string): Caller {
    const { key } = this.config.admin;
    if (key === undefined || !same(given, key))
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

/** Compares in a time that tells nothing, not even the length. */
const same = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b));

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
