import { CONFIG, type Config } from '@callsmith/config';
import { type api, judged, type OwnRequest, type ReplyOf, unusable } from '@callsmith/contracts';
import { PrismaService } from '@callsmith/data/database';
import { shownTurnId } from '@callsmith/data/ids';
import { findKey, type KeyRow } from '@callsmith/data/keys';
import { hashKeySession, hashLink, newToken } from '@callsmith/data/secrets';
import { readSetting, SETTINGS_NAME, settingsOf } from '@callsmith/data/settings';
import { PostgresConfigSnapshot } from '@callsmith/data/snapshot';
import { usageBy } from '@callsmith/data/stats';
import { listTurns } from '@callsmith/data/turns';
import {
  consumeLink,
  deleteKeySession,
  findLink,
  insertConnectLink,
  insertKeySession,
  type KeyOfSession,
} from '@callsmith/data/users';
import { wilson } from '@callsmith/evaluate';
import { Fault } from '@callsmith/turn';
import { Inject, Injectable } from '@nestjs/common';
import { KeyUsage } from '../../proxy/request/key-usage.ts';
import type { Caller } from '../access/caller.ts';
import { CONNECT_COOKIE, CONNECT_PATH } from '../access/callers.ts';
import { SignInAttempts } from '../access/sign-in-attempts.ts';
import type { HttpExchange } from '../http-exchange.ts';
import { keyView } from '../keys/key-view.ts';
import { type IssuedKey, isActive, KeysService, mayRotate } from '../keys/keys.service.ts';
import { modelsOfKey } from '../keys/models-of-key.ts';
import { managedBy } from '../managed.ts';
import { linkTo } from '../session/links.service.ts';
import { suggestedModel } from './suggested-model.ts';

const DAY_MS = 86_400_000;
/** How long a connect link is valid, and how long the cookie that it sets. */
const LINK_MS = DAY_MS;
const SESSION_SECONDS = 30 * 86_400;
const SHOWN_DAYS = 30;
const MOST_REQUESTS = 25;

/** The page of a key's owner, who has no account: everything here concerns only the session's key. */
@Injectable()
export class ConnectService {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly prisma: PrismaService,
    private readonly snapshot: PostgresConfigSnapshot,
    private readonly keys: KeysService,
    private readonly usage: KeyUsage,
    private readonly attempts: SignInAttempts,
  ) {}

  async makeLink(id: string, caller: Caller, http: HttpExchange): Promise<ReplyOf<typeof api.connect.makeLink>> {
    const key = await this.keys.active(id, caller);
    const token = newToken();
    const expiresAt = new Date(Date.now() + LINK_MS);
    const hash = hashLink(this.config.secretKey, token);
    await insertConnectLink(this.prisma, { actor: caller.actor }, { hash, key, expiresAt });
    return { link: linkTo(http, token), expiresAt: expiresAt.toISOString() };
  }

  /** Uses up a link and starts a session of its key's owner. */
  async open(token: string, http: HttpExchange): Promise<Record<string, never>> {
    await this.attempts.beginLink(http.address);
    const hash = hashLink(this.config.secretKey, token);
    const found = await findLink(this.prisma, hash);
    const key = found?.kind === 'connect' && found.keyId ? await findKey(this.prisma, found.keyId) : null;
    if (!key || !isActive(key) || !(await consumeLink(this.prisma, hash))) throw new Fault('link_not_valid');
    await this.attempts.linkWasGood(http.address);
    await this.#begin(key, http);
    return {};
  }

  async leave(http: HttpExchange): Promise<Record<string, never>> {
    const secret = http.cookie(CONNECT_COOKIE);
    if (secret !== undefined) await deleteKeySession(this.prisma, hashKeySession(this.config.secretKey, secret));
    http.setCookie(CONNECT_COOKIE, '', { maxAgeSeconds: 0, path: CONNECT_PATH });
    return {};
  }

  async show(own: KeyOfSession, http: HttpExchange): Promise<ReplyOf<typeof api.connect.show>> {
    const row = await this.#row(own);
    const entry = this.snapshot.key(own.hash);
    if (!entry) throw new Fault('unauthenticated');
    const key = keyView(row);
    const [usage, models, settings] = await Promise.all([
      this.usage.of(entry, String(SHOWN_DAYS)),
      this.#models(key),
      readSetting(this.prisma, SETTINGS_NAME),
    ]);
    return {
      key,
      usage,
      baseUrl: `${http.baseUrl}/v1`,
      models,
      suggested: suggestedModel(models),
      bodyRetentionDays: settingsOf(settings).bodyDays,
      rotates: mayRotate(row) && managedBy(row) === null,
    };
  }

  async requests({ id: keyId }: KeyOfSession): Promise<{ items: OwnRequest[] }> {
    const to = new Date();
    const filter = { from: new Date(to.getTime() - SHOWN_DAYS * DAY_MS), to, keyId };
    const rows = await listTurns(this.prisma, filter, { before: undefined, limit: MOST_REQUESTS });
    return {
      items: rows.map(({ id, at, requestId, model, client, outcome, classes, status, errorCode, totalMs }) => ({
        id: shownTurnId(id),
        requestId,
        at: at.toISOString(),
        model,
        client,
        outcome: outcome as OwnRequest['outcome'],
        classes: classes as OwnRequest['classes'],
        status,
        errorCode,
        totalMs,
      })),
    };
  }

  /** The session continues with the successor, in this browser only. */
  async rotate(graceSeconds: number, caller: Caller, own: KeyOfSession, http: HttpExchange): Promise<IssuedKey> {
    const issued = await this.keys.rotateOwn(await this.#row(own), { graceSeconds }, caller);
    const { id, teamId, holder } = issued.key;
    await this.#begin({ id, teamId, holder }, http);
    return issued;
  }

  async #begin(key: Pick<KeyRow, 'id' | 'teamId' | 'holder'>, http: HttpExchange): Promise<void> {
    const secret = newToken();
    await insertKeySession(this.prisma, {
      hash: hashKeySession(this.config.secretKey, secret),
      key,
      expiresAt: new Date(Date.now() + SESSION_SECONDS * 1000),
    });
    http.setCookie(CONNECT_COOKIE, secret, { maxAgeSeconds: SESSION_SECONDS, path: CONNECT_PATH });
  }

  /** With the outcomes of the team's own requests. */
  async #models(key: ReturnType<typeof keyView>): Promise<ReplyOf<typeof api.connect.show>['models']> {
    const to = new Date();
    const filter = { from: new Date(to.getTime() - SHOWN_DAYS * DAY_MS), to, teamId: key.teamId };
    const sums = new Map((await usageBy(this.prisma, filter, 'model')).map((sum) => [sum.id, sum]));
    return modelsOfKey(key, this.snapshot.models()).map(({ id, name, contextLength }) => {
      const sum = sums.get(id);
      const n = sum ? judged(sum) : 0;
      return {
        name,
        contextLength: contextLength?.value ?? null,
        valid: sum ? wilson(n - unusable(sum), n) : null,
      };
    });
  }

  async #row({ id }: KeyOfSession): Promise<KeyRow> {
    const row = await findKey(this.prisma, id);
    if (!row) throw new Fault('unauthenticated');
    return row;
  }
}
